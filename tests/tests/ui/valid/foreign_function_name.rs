//! A function's name that no provider accepts.

use tool_runtime::tool;

/// Size.
#[tool]
fn größe(a: i64) -> i64 {
    a
}

fn main() {
    größe(1);
}
