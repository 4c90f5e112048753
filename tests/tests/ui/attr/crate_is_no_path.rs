//! A runtime that is no path.

use tool_runtime::tool;

#[tool(crate = 3)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
