//! A lock that is held while waiting.

use tool_runtime::tool;

use std::sync::Mutex;

#[tool]
async fn count(#[inject] calls: &Mutex<u64>) -> Result<u64, String> {
    let calls = calls.lock().map_err(|error| error.to_string())?;
    std::future::ready(()).await;
    Ok(*calls)
}

fn main() {}
