//! A function without a body.

use tool_runtime::tool;

trait Greeter {
    #[tool]
    fn greet(name: String) -> String;
}

fn main() {}
