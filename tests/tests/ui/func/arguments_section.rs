//! A doc comment that names a parameter the function does not have.

use tool_runtime::tool;

/// Adds.
///
/// # Arguments
/// * `frist` - the first number
#[tool]
fn add(first: i64, second: i64) -> i64 {
    first + second
}

fn main() {
    add(1, 2);
}
