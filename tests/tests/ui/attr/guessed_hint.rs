//! A guess at `read_only`.

use tool_runtime::tool;

#[tool(readonly)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
