//! A tool that can't be called.

use tool_runtime::tool;

struct Db;

#[tool]
impl Db {
    #[tool]
    const LIMIT: usize = 3;

    #[tool]
    fn query(&self) {}
}

fn main() {}
