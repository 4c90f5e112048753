//! An asynchronous function is said to block.

use tool_runtime::tool;

#[tool(blocking)]
async fn wait() {}

fn main() {}
