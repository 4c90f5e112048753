//! A function that nobody can stop has a timeout.

use tool_runtime::tool;

#[tool(timeout = "30s")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
