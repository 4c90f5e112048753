//! A mistake in one function of a block is no second error where the block's tools are used.

use std::sync::Arc;

use tool_runtime::tool;

struct Db;

#[tool(into = admin_tools)]
impl Db {
    #[tool(exernal)]
    fn remove(&self) {}
}

fn main() {
    let _ = Arc::new(Db).admin_tools();
}
