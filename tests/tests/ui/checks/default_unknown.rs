//! A default that does not exist.

use tool_runtime::tool;

/// Counts.
#[tool]
fn count(#[serde(default = "three")] days: u8) -> u8 {
    days
}

fn main() {
    count(1);
}
