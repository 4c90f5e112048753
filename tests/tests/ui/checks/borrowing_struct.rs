//! A parameter of a type with a lifetime of its own.

use tool_runtime::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct City<'a> {
    name: &'a str,
}

/// Greets.
#[tool]
fn greet(city: City<'_>) -> String {
    city.name.to_owned()
}

fn main() {
    greet(City { name: "" });
}
