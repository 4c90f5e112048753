//! A parameter where a function is expected.

use tool_runtime::tool;

#[tool(loop_key = a)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
