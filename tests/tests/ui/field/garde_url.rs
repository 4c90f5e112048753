//! A rule that a type holds better.

use tool_runtime::tool;

#[tool]
fn open(#[garde(url)] address: String) -> String {
    address
}

fn main() {}
