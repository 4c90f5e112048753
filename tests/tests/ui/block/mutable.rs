//! A method that changes its value.

use tool_runtime::tool;

struct Db;

#[tool]
impl Db {
    #[tool]
    fn reset(&mut self) {}
}

fn main() {}
