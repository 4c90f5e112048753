//! A name for one direction only.

use tool_runtime::tool;

/// Greets.
#[tool]
fn greet(#[serde(rename(deserialize = "first_name"))] name: String) -> String {
    name
}

fn main() {
    greet(String::new());
}
