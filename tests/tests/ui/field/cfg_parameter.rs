//! A parameter that is there on some platforms only.

use tool_runtime::tool;

/// Adds.
#[tool]
fn add(a: i64, #[cfg(all())] b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
