//! A bound given twice.

use tool_runtime::tool;

/// Adds.
#[tool]
fn add(#[schemars(range(min = 1), range(min = 2))] a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
