//! The value of a block with a name of its own that no two threads can use.

use std::cell::Cell;

use tool_runtime::tool;

struct Counter(Cell<u64>);

#[tool(into = counter_tools)]
impl Counter {
    #[tool]
    fn count(&self) -> u64 {
        self.0.get()
    }
}

fn main() {}
