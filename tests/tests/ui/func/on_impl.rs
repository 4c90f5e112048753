//! A block of methods.

use tool_runtime::tool;

struct Db;

#[tool]
impl Db {
    fn query(&self) -> u8 {
        0
    }
}

fn main() {
    Db.query();
}
