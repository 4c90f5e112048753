//! A default of another type.

use tool_runtime::tool;

fn three() -> String {
    "3".to_owned()
}

/// Counts.
#[tool]
fn count(#[serde(default = "three")] days: u8) -> u8 {
    days
}

fn main() {
    count(1);
    three();
}
