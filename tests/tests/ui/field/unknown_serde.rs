//! A `serde` attribute that makes no sense on a single argument.

use tool_runtime::tool;

/// Adds.
#[tool]
fn add(#[serde(flatten)] a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
