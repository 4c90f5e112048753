//! A wrong path to the crate.

use tool_runtime::tool;

/// Adds.
#[tool(crate = tools)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
