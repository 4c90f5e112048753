//! A length without a name.

use tool_runtime::tool;

#[tool]
fn add(#[schemars(length(3))] a: String) -> String {
    a
}

fn main() {}
