//! `None` for `none`.

use tool_runtime::tool;

#[tool(max_result_size = None)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
