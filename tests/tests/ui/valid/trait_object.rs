//! A parameter of unknown size.

use tool_runtime::tool;

/// Shows.
#[tool]
fn show(value: &dyn std::fmt::Display) -> String {
    value.to_string()
}

fn main() {
    show(&1);
}
