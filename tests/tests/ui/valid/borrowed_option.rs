//! A result with a borrowed part.

use tool_runtime::tool;

#[tool]
fn first<'a>(text: &'a str) -> Option<&'a str> {
    text.lines().next()
}

fn main() {}
