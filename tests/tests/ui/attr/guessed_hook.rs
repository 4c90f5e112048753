//! A guess at `to_model_output`.

use tool_runtime::tool;

#[tool(compact = shown)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
