//! Nothing says that the block has tools.

use tool_runtime::IntoTools;

struct Db;

impl Db {
    fn query(&self) {}
}

fn main() {
    Db.query();
    let _ = Db.into_tools();
}
