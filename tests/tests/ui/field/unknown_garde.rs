//! A rule of garde that is none.

use tool_runtime::tool;

#[tool]
fn add(#[garde(rang(min = 1))] a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
