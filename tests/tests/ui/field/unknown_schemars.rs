//! A `schemars` attribute that is not read.

use tool_runtime::tool;

/// Adds.
#[tool]
fn add(#[schemars(skip)] a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
