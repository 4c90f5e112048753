//! A handle in quotes.

use tool_runtime::tool;

#[tool(handle = "Add")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
