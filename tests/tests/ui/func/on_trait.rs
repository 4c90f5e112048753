//! A trait.

use tool_runtime::tool;

#[tool]
trait Greeting {
    fn greet(&self);
}

fn main() {}
