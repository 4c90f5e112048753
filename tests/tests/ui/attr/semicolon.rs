//! A semicolon between two keys.

use tool_runtime::tool;

#[tool(read_only; idempotent)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
