//! A method.

use tool_runtime::tool;

struct Db;

impl Db {
    /// Queries.
    #[tool]
    fn query(&self, sql: String) -> String {
        sql
    }
}

fn main() {
    Db.query(String::new());
}
