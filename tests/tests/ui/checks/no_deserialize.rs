//! A parameter type without `Deserialize`.

use tool_runtime::tool;

#[derive(schemars::JsonSchema)]
struct City {
    name: String,
}

/// Greets.
#[tool]
fn greet(city: City) -> String {
    city.name
}

fn main() {
    greet(City { name: String::new() });
}
