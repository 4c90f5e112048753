//! A parameter that is written to.

use tool_runtime::tool;

/// Appends.
#[tool]
fn append(text: &mut String) {
    text.push('!');
}

fn main() {
    append(&mut String::new());
}
