//! A module.

use tool_runtime::tool;

#[tool]
mod weather {}

fn main() {}
