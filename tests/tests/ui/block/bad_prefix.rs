//! A prefix that no provider takes.

use tool_runtime::tool;

struct Db;

#[tool(prefix = "my db")]
impl Db {
    #[tool]
    fn query(&self) {}
}

fn main() {}
