//! Tags like a value.

use tool_runtime::tool;

#[tool(tags = "math")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
