//! A hook for another result.

use tool_runtime::tool;

fn shown(text: &String) -> String {
    text.clone()
}

/// Adds.
#[tool(to_model_output = shown)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
    shown(&String::new());
}
