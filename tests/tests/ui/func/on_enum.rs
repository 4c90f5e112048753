//! An enum.

use tool_runtime::tool;

#[tool]
enum Unit {
    Metre,
}

fn main() {}
