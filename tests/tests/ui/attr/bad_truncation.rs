//! A strategy that does not exist.

use tool_runtime::tool;

/// Adds.
#[tool(truncation = summarise)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
