//! A function of the loop guard in quotes.

use tool_runtime::tool;

#[tool(loop_key = "sum")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
