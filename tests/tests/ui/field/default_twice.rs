//! Two defaults.

use tool_runtime::tool;

/// Adds.
#[tool]
fn add(a: i64, #[serde(default, default = "three")] b: i64) -> i64 {
    a + b
}

fn three() -> i64 {
    3
}

fn main() {
    add(1, three());
}
