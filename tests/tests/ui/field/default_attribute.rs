//! A default without serde.

use tool_runtime::tool;

#[tool]
fn add(#[default(3)] a: i64) -> i64 {
    a
}

fn main() {}
