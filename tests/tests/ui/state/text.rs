//! Shared state of unknown size.

use tool_runtime::tool;

#[tool]
fn query(#[inject] url: &str) -> usize {
    url.len()
}

fn main() {}
