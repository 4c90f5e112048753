//! A value that `keep` does not have.

use tool_runtime::tool;

/// Adds.
#[tool(keep = never)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
