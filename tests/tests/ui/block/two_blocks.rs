//! Two blocks of one type, both without a name.

use tool_runtime::tool;

struct Db;

#[tool]
impl Db {
    #[tool]
    fn query(&self) {}
}

#[tool]
impl Db {
    #[tool]
    fn insert(&self) {}
}

fn main() {}
