//! Bounds as a range of Rust.

use tool_runtime::tool;

#[tool]
fn add(#[schemars(range(1..=7))] a: i64) -> i64 {
    a
}

fn main() {}
