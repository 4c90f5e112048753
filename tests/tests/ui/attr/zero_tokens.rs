//! A limit of no tokens.

use tool_runtime::tool;

#[tool(max_result_tokens = 0)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
