//! A generic method.

use tool_runtime::tool;

struct Db;

#[tool]
impl Db {
    #[tool]
    fn insert<T>(&self, row: T) {
        let _ = row;
    }
}

fn main() {}
