//! Shared state that one call changes.

use tool_runtime::tool;

struct Db;

#[tool]
fn query(#[inject] db: &mut Db) {
    let _ = db;
}

fn main() {}
