//! A constant that is no `usize`.

use tool_runtime::tool;

const LIMIT: u8 = 200;

/// Adds.
#[tool(max_result_size = LIMIT)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
