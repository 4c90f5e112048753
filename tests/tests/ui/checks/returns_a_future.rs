//! A function that returns a future.

use tool_runtime::tool;

#[tool]
fn wait(seconds: u64) -> std::future::Ready<u64> {
    std::future::ready(seconds)
}

fn main() {}
