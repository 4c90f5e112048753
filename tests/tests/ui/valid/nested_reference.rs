//! References inside a parameter.

use tool_runtime::tool;

/// Counts.
#[tool]
fn count(texts: Vec<&str>) -> usize {
    texts.len()
}

fn main() {
    count(vec![]);
}
