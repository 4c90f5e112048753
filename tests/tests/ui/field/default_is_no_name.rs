//! A default that is a value in quotes.

use tool_runtime::tool;

#[tool]
fn add(#[serde(default = "3")] a: i64) -> i64 {
    a
}

fn main() {}
