//! A constant.

use tool_runtime::tool;

#[tool]
const LIMIT: u8 = 3;

fn main() {}
