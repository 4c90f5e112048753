//! A strategy with a slip in it.

use tool_runtime::tool;

/// Adds.
#[tool(truncation = headtail)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
