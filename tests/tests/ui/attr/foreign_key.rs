//! A key that is nothing like one.

use tool_runtime::tool;

/// Adds.
#[tool(colour = "red")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
