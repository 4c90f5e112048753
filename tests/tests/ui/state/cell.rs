//! State that belongs to one thread.

use tool_runtime::tool;

use std::cell::RefCell;

#[tool]
fn count(#[inject] calls: &RefCell<u64>) -> u64 {
    *calls.borrow()
}

fn main() {}
