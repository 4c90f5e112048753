//! A range without bounds.

use tool_runtime::tool;

/// Adds.
#[tool]
fn add(#[schemars(range())] a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
