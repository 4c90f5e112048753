//! A limit of no calls.

use tool_runtime::tool;

#[tool(max_concurrent = 0)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
