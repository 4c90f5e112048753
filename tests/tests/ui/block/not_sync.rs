//! The value of a block can't be shared.


use std::cell::Cell;

use tool_runtime::tool;

struct Counter(Cell<u64>);

#[tool]
impl Counter {
    #[tool]
    fn count(&self) -> u64 {
        self.0.get()
    }
}

fn main() {}
