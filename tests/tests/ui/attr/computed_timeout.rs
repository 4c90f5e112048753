//! A timeout that is an expression.

use tool_runtime::tool;

#[tool(timeout = std::time::Duration::from_secs(3))]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
