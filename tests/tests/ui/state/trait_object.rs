//! Shared state without a type of its own.

use tool_runtime::tool;

trait Store: Send + Sync {}

#[tool]
fn query(#[inject] store: &dyn Store) {
    let _ = store;
}

fn main() {}
