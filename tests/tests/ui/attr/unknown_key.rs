//! A key with a slip in it.

use tool_runtime::tool;

/// Adds.
#[tool(max_result_siez = 100)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
