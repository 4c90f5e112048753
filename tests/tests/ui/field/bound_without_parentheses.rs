//! A length as a value.

use tool_runtime::tool;

/// Greets.
#[tool]
fn greet(#[schemars(length = 3)] name: String) -> String {
    name
}

fn main() {
    greet(String::new());
}
