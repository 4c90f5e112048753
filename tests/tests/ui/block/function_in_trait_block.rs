//! A tool in the block of a trait that is not marked itself.

use tool_runtime::tool;

struct Db;

trait Parse {
    fn parse(sql: String) -> String;
}

impl Parse for Db {
    #[tool]
    fn parse(sql: String) -> String {
        sql
    }
}

fn main() {}
