//! A limit that leaves nothing.

use tool_runtime::tool;

/// Adds.
#[tool(max_result_size = 0)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
