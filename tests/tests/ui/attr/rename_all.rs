//! A rule for all names.

use tool_runtime::tool;

#[tool(rename_all = "camelCase")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
