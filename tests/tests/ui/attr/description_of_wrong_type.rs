//! A description that is a number.

use tool_runtime::tool;

#[tool(description = 3)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
