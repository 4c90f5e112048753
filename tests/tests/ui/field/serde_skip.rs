//! A parameter that serde would skip.

use tool_runtime::tool;

#[tool]
fn add(#[serde(skip)] a: i64) -> i64 {
    a
}

fn main() {}
