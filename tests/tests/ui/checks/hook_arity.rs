//! A hook with two parameters.

use tool_runtime::tool;

fn shown(number: &i64, digits: usize) -> String {
    format!("{number:digits$}")
}

/// Adds.
#[tool(to_model_output = shown)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
    shown(&1, 2);
}
