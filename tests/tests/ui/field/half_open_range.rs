//! Bounds as a range without its end.

use tool_runtime::tool;

#[tool]
fn add(#[schemars(range(1..8))] a: i64) -> i64 {
    a
}

fn main() {}
