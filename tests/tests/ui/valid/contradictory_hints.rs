//! Hints that can't both be true.

use tool_runtime::tool;

/// Deletes.
#[tool(read_only, destructive)]
fn delete(path: String) {
    drop(path);
}

fn main() {
    delete(String::new());
}
