//! `.await` without `async`.

use tool_runtime::tool;

#[tool]
fn wait(seconds: u64) -> u64 {
    std::future::ready(seconds).await
}

fn main() {}
