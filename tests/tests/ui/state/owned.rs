//! Shared state by value.

use tool_runtime::tool;

struct Db;

#[tool]
fn query(#[inject] db: Db, sql: String) -> String {
    let _ = db;
    sql
}

fn main() {}
