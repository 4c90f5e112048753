//! A handle of a name that another type has.

use tool_runtime::tool;

struct Add;

/// Adds.
#[tool(handle = Add)]
fn add(a: i64, b: i64) -> i64 {
    let _ = Add;
    a + b
}

fn main() {
    add(1, 2);
}
