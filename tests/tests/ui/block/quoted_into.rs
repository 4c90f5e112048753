//! The name of a method in quotes.

use tool_runtime::tool;

struct Db;

#[tool(into = "db_tools")]
impl Db {
    #[tool]
    fn query(&self) {}
}

fn main() {}
