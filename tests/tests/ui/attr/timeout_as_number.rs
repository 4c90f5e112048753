//! A timeout that is no text.

use tool_runtime::tool;

#[tool(timeout = 30)]
async fn wait() {}

fn main() {}
