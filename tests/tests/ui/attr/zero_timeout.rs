//! A timeout that stops every call.

use tool_runtime::tool;

#[tool(timeout = "0s")]
async fn wait() {}

fn main() {}
