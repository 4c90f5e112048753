//! The variant of the enum.

use tool_runtime::tool;

#[tool(truncation = TruncationStrategy::Head)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
