//! A boxed trait object.

use tool_runtime::tool;

#[tool]
fn show(value: Box<dyn std::fmt::Display>) -> String {
    value.to_string()
}

fn main() {}
