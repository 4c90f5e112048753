//! A key of one tool on a block.

use tool_runtime::tool;

struct Db;

#[tool(read_only)]
impl Db {
    #[tool]
    fn query(&self) {}
}

fn main() {}
