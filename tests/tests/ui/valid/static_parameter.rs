//! A parameter that lives longer than the call.

use tool_runtime::tool;

/// Counts.
#[tool]
fn count(text: &'static str) -> usize {
    text.len()
}

fn main() {
    count("");
}
