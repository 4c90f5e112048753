//! A bound that is no number.

use tool_runtime::tool;

struct One;

/// Adds.
#[tool]
fn add(#[schemars(range(min = One))] a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
