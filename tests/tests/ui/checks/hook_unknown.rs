//! A hook that does not exist.

use tool_runtime::tool;

/// Adds.
#[tool(to_model_output = shown)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
