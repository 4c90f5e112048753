//! A bound that `range` does not have.

use tool_runtime::tool;

/// Adds.
#[tool]
fn add(#[schemars(range(least = 1))] a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
