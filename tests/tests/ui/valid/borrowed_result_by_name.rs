//! A result that is part of an argument, with a named lifetime.

use std::borrow::Cow;
use tool_runtime::tool;

/// Takes blanks away.
#[tool]
fn trim<'a>(text: &'a str) -> Cow<'a, str> {
    text.trim().into()
}

fn main() {
    trim("");
}
