//! Two parameters of one name.

use tool_runtime::tool;

#[tool]
fn add(a: i64, a: i64) -> i64 {
    a
}

fn main() {}
