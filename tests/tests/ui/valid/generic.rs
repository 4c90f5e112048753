//! A function of any type.

use tool_runtime::tool;

/// Adds.
#[tool]
fn add<T: std::ops::Add<Output = T>>(a: T, b: T) -> T {
    a + b
}

fn main() {
    add(1, 2);
}
