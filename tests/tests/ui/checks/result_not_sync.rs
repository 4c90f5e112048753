//! A result that can't be shared.

use std::cell::Cell;
use tool_runtime::tool;

/// Counts.
#[tool]
fn count() -> Cell<u8> {
    Cell::new(1)
}

fn main() {
    count();
}
