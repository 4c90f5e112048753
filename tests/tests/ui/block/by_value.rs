//! A method that takes its value away.

use tool_runtime::tool;

struct Db;

#[tool]
impl Db {
    #[tool]
    fn close(self) {}
}

fn main() {}
