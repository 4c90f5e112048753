//! `impl Trait` inside a type.

use tool_runtime::tool;

#[tool]
fn join(parts: Vec<impl Into<String>>) -> String {
    parts.into_iter().map(Into::into).collect()
}

fn main() {}
