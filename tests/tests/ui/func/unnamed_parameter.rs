//! A parameter without a name.

use tool_runtime::tool;

#[tool]
fn nothing(_: i64) {}

fn main() {}
