//! A guess at `max_result_size`.

use tool_runtime::tool;

#[tool(max_len = 2000)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
