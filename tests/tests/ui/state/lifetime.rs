//! State that is to live for ever.

use tool_runtime::tool;

struct Db;

#[tool]
fn query(#[inject] db: &'static Db) {
    let _ = db;
}

fn main() {}
