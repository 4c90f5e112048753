//! A method of a value that never ends.

use tool_runtime::tool;

struct Db;

#[tool]
impl Db {
    #[tool]
    fn query(&'static self) {}
}

fn main() {}
