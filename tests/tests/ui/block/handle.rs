//! A method with a handle.

use tool_runtime::tool;

struct Db;

#[tool]
impl Db {
    #[tool(handle = Query)]
    fn query(&self) {}
}

fn main() {}
