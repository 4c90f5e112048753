//! A limit below zero.

use tool_runtime::tool;

#[tool(max_result_size = -1)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
