//! A future that can't move between threads.

use std::rc::Rc;
use tool_runtime::tool;

/// Waits.
#[tool]
async fn wait(seconds: u64) -> u64 {
    let shared = Rc::new(seconds);
    std::future::ready(()).await;
    *shared
}

fn main() {
    drop(wait(1));
}
