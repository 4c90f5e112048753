//! A hook whose result can't be shown.

use tool_runtime::tool;

fn half(number: &i64) -> i64 {
    number / 2
}

/// Adds.
#[tool(to_model_output = half)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
    half(&1);
}
