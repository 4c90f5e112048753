//! Two parameters of one name.

use tool_runtime::tool;

/// Adds.
#[tool]
fn add(a: i64, #[serde(rename = "a")] b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
