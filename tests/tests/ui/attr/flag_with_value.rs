//! A value for a key that takes none.

use tool_runtime::tool;

/// Adds.
#[tool(external = true)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
