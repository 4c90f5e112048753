//! A generic block whose value may be anything.

use tool_runtime::tool;

struct Db<S>(S);

#[tool]
impl<S> Db<S> {
    #[tool]
    fn query(&self) {}
}

fn main() {}
