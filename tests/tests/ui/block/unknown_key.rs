//! A key that nobody knows on a block.

use tool_runtime::tool;

struct Db;

#[tool(prefx = "db")]
impl Db {
    #[tool]
    fn query(&self) {}
}

fn main() {}
