//! The loop guard is to compare what is no parameter.

use tool_runtime::tool;

#[tool(loop_key(frist))]
fn add(first: i64, second: i64) -> i64 {
    first + second
}

fn main() {}
