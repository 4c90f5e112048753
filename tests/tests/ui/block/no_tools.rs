//! A block of no tools.

use tool_runtime::tool;

struct Db;

#[tool]
impl Db {
    fn query(&self) {}
}

fn main() {}
