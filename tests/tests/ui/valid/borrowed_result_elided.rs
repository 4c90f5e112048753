//! A result that is part of an argument, with no lifetime to be seen.

use std::borrow::Cow;
use tool_runtime::tool;

/// Takes blanks away.
#[tool]
fn trim(text: &str) -> Cow<str> {
    text.trim().into()
}

fn main() {
    trim("");
}
