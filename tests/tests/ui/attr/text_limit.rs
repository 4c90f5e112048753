//! A limit that is no number.

use tool_runtime::tool;

/// Adds.
#[tool(max_result_size = "2000")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
