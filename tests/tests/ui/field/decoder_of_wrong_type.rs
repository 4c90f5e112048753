//! A decoding function for another type.

use serde::{Deserialize, Deserializer};
use tool_runtime::tool;

fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    bool::deserialize(deserializer)
}

/// Greets.
#[tool]
fn greet(#[serde(deserialize_with = "flag")] name: String) -> String {
    name
}

fn main() {
    greet(String::new());
}
