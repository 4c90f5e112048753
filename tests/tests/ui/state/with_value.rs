//! `#[inject]` with something in it.

use tool_runtime::tool;

struct Db;

#[tool]
fn query(#[inject(db)] db: &Db) {
    let _ = db;
}

fn main() {}
