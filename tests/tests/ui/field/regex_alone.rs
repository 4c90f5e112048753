//! A pattern without its name.

use tool_runtime::tool;

#[tool]
fn add(#[schemars(regex("^a+$"))] a: String) -> String {
    a
}

fn main() {}
