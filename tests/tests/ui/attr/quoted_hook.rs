//! A hook in quotes.

use tool_runtime::tool;

#[tool(to_model_output = "shown")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
