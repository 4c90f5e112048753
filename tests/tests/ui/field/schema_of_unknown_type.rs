//! A schema by a type that has none.

use tool_runtime::tool;

struct Text;

/// Greets.
#[tool]
fn greet(#[schemars(with = "Text")] name: String) -> String {
    let _ = Text;
    name
}

fn main() {
    greet(String::new());
}
