//! A rule for texts on a number.

use tool_runtime::tool;

#[tool]
fn add(#[garde(email)] a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
