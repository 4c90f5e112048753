//! An attribute of another crate.

use tool_runtime::tool;

/// Adds.
#[tool]
fn add(#[validate(range(min = 1))] a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
