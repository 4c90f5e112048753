//! A method on an `Arc`.


use std::sync::Arc;

use tool_runtime::tool;

struct Db;

#[tool]
impl Db {
    #[tool]
    fn query(self: Arc<Self>) {}
}

fn main() {}
