//! Hints as MCP has them.

use tool_runtime::tool;

#[tool(annotations(read_only_hint = true))]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
