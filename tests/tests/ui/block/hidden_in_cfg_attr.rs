//! A tool that only rustc could see.

use tool_runtime::tool;

struct Db;

#[tool]
impl Db {
    #[cfg_attr(all(), tool)]
    fn query(&self) {}

    #[tool]
    fn insert(&self) {}
}

fn main() {}
