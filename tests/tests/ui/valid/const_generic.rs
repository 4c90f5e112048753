//! A function of any length.

use tool_runtime::tool;

/// Adds.
#[tool]
fn sum<const N: usize>(numbers: [i64; N]) -> i64 {
    numbers.iter().sum()
}

fn main() {
    sum([1, 2]);
}
