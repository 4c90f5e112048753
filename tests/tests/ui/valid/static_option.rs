//! An optional parameter that lives longer than the call.

use tool_runtime::tool;

/// Counts.
#[tool]
fn count(text: Option<&'static str>) -> usize {
    text.map_or(0, str::len)
}

fn main() {
    count(None);
}
