//! No value for a key that takes one.

use tool_runtime::tool;

/// Adds.
#[tool(max_result_size)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
