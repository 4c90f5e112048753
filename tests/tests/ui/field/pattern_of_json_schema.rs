//! A pattern by its name in JSON Schema.

use tool_runtime::tool;

#[tool]
fn add(#[schemars(pattern = "^a+$")] a: String) -> String {
    a
}

fn main() {}
