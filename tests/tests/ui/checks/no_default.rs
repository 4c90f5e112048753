//! A type without a default.

use tool_runtime::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Days(u8);

/// Counts.
#[tool]
fn count(#[serde(default)] days: Days) -> u8 {
    days.0
}

fn main() {
    count(Days(1));
}
