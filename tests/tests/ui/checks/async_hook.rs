//! A hook that has to be waited for.

use tool_runtime::tool;

async fn shown(number: &i64) -> String {
    number.to_string()
}

#[tool(to_model_output = shown)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
