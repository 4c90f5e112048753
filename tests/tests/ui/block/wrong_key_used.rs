//! A mistake in one function of a block is no second error where the block's tools are used.

use tool_runtime::{IntoTools, tool};

struct Db;

#[tool]
impl Db {
    #[tool(exernal)]
    fn query(&self) {}
}

fn main() {
    let _ = Db.into_tools();
}
