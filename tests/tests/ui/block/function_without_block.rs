//! An associated function that is a tool, in a block that is none.

use tool_runtime::tool;

struct Db;

impl Db {
    #[tool]
    fn parse(sql: String) -> String {
        sql
    }
}

fn main() {}
