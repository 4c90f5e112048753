//! A flag that is turned off.

use tool_runtime::tool;

#[tool(external = false)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
