//! State that is not injected.

use tool_runtime::tool;

struct Db;

#[tool]
fn query(db: &Db, sql: String) -> String {
    let _ = db;
    sql
}

fn main() {}
