//! A number of retries in quotes.

use tool_runtime::{ToolError, tool};

#[tool(retries = "3")]
fn add(a: i64, b: i64) -> Result<i64, ToolError> {
    Ok(a + b)
}

fn main() {}
