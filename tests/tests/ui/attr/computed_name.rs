//! A name that the macro can't read.

use tool_runtime::tool;

const NAME: &str = "add";

/// Adds.
#[tool(name = NAME)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
