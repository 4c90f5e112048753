//! Parameters described in the attribute.

use tool_runtime::tool;

#[tool(params(a = "First."))]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
