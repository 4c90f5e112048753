//! A parameter type without `JsonSchema`.

use tool_runtime::tool;

#[derive(serde::Deserialize)]
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
