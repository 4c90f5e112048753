//! A limit that is another integer.

use tool_runtime::tool;

#[tool(max_result_size = 2_000u64)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
