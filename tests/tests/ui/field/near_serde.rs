//! A `serde` attribute with a slip in it.

use tool_runtime::tool;

/// Adds.
#[tool]
fn add(#[serde(renam = "first")] a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
