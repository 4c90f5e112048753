//! A generic block whose value may belong to one thread.

use tool_runtime::tool;

trait Store: Send {}

struct Db<S>(S);

#[tool]
impl<S: Store> Db<S> {
    #[tool]
    fn query(&self) {}
}

fn main() {}
