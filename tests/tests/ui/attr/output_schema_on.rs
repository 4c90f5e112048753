//! What is on anyway is turned on.

use tool_runtime::tool;

#[tool(output_schema = true)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
