//! A hook that takes the value itself.

use tool_runtime::tool;

fn shown(number: i64) -> String {
    number.to_string()
}

#[tool(to_model_output = shown)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
