//! A guess at `inject`.

use tool_runtime::tool;

#[tool]
fn add(#[state] a: i64) -> i64 {
    a
}

fn main() {}
