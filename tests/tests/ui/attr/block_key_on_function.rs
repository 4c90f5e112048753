//! A key of blocks on a function.

use tool_runtime::tool;

#[tool(prefix = "math")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
