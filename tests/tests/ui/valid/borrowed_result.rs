//! A result that is part of an argument.

use tool_runtime::tool;

/// Takes blanks away.
#[tool]
fn trim(text: &str) -> &str {
    text.trim()
}

fn main() {
    trim("");
}
