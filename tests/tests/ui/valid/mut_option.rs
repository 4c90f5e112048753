//! A parameter that is changed.

use tool_runtime::tool;

#[tool]
fn append(text: Option<&mut String>) {
    let _ = text;
}

fn main() {}
