//! An unsafe function.

use tool_runtime::tool;

/// Reads.
#[tool]
unsafe fn read(address: usize) -> u8 {
    address as u8
}

fn main() {}
