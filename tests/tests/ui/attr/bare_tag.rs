//! A tag that is no text.

use tool_runtime::tool;

#[tool(tags(math))]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
