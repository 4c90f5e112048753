//! A description that is no doc comment.

use tool_runtime::tool;

#[tool]
fn add(#[description = "A number."] a: i64) -> i64 {
    a
}

fn main() {}
