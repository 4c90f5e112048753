//! An argument that can't move between threads.

use std::rc::Rc;
use tool_runtime::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(from = "String")]
struct Shared(#[schemars(with = "String")] Rc<str>);

impl From<String> for Shared {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

/// Greets.
#[tool]
fn greet(name: Shared) -> String {
    name.0.to_string()
}

fn main() {
    greet(Shared("".into()));
}
