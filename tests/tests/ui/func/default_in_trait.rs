//! A function of a trait, with a body of its own.

use tool_runtime::tool;

trait Greeting {
    #[tool]
    fn greet(name: String) -> String {
        name
    }
}

fn main() {}
