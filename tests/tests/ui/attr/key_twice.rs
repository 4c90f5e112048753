//! A key given twice.

use tool_runtime::tool;

/// Adds.
#[tool(name = "add", read_only, name = "sum")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
