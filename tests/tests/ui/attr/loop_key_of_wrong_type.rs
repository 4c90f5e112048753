//! The loop guard gets a function of another type.

use tool_runtime::tool;

fn sum(a: i64) -> i64 {
    a
}

#[tool(loop_key = sum)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
