//! A guess at `description`.

use tool_runtime::tool;

#[tool(desc = "Adds.")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
