//! Retries of a function whose error can't say that they may help.

use tool_runtime::tool;

#[tool(retries = 3)]
fn add(a: i64, b: i64) -> Result<i64, String> {
    a.checked_add(b).ok_or_else(|| "too large".to_owned())
}

fn main() {
    let _ = add(1, 2);
}
