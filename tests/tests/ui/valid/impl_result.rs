//! A result of a hidden type.

use tool_runtime::tool;

/// Greets.
#[tool]
fn greet() -> Result<impl serde::Serialize, String> {
    Ok("hello")
}

fn main() {
    let _ = greet();
}
