//! A parameter type that is not in scope.

use tool_runtime::tool;

/// Greets.
#[tool]
fn greet(city: City) -> String {
    String::new()
}

fn main() {
    greet(1);
}
