//! A parameter of any type.

use tool_runtime::tool;

/// Greets.
#[tool]
fn greet(name: impl Into<String>) -> String {
    name.into()
}

fn main() {
    greet("you");
}
