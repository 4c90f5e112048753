//! A name without quotes.

use tool_runtime::tool;

#[tool(name = sum)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
