//! An error without text.

use tool_runtime::tool;

struct NotFound;

/// Finds.
#[tool]
fn find(name: String) -> Result<String, NotFound> {
    if name.is_empty() { Err(NotFound) } else { Ok(name) }
}

fn main() {
    let _ = find(String::new());
}
