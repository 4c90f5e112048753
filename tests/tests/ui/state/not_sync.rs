//! State that threads can't share.


use std::cell::Cell;

use tool_runtime::tool;

#[tool]
fn count(#[inject] calls: &Cell<u64>) -> u64 {
    calls.get()
}

fn main() {}
