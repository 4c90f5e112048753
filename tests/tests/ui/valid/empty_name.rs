//! No name at all.

use tool_runtime::tool;

/// Adds.
#[tool(name = "")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
