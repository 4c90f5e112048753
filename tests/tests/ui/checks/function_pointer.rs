//! A parameter that no JSON can be.

use tool_runtime::tool;

#[tool]
fn apply(function: fn(i64) -> i64) -> i64 {
    function(1)
}

fn main() {}
