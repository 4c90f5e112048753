//! A hook that takes the whole `Result`.

use tool_runtime::tool;

fn shown(number: &Result<i64, String>) -> String {
    format!("{number:?}")
}

#[tool(to_model_output = shown)]
fn add(a: i64, b: i64) -> Result<i64, String> {
    Ok(a + b)
}

fn main() {}
