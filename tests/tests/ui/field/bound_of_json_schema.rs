//! A bound by its name in JSON Schema.

use tool_runtime::tool;

#[tool]
fn add(#[schemars(minimum = 1)] a: i64) -> i64 {
    a
}

fn main() {}
