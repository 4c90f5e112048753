//! The attribute twice.

use tool_runtime::tool;

/// Adds.
#[tool]
#[tool(read_only)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
