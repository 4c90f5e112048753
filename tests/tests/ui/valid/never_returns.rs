//! A function that does not return.

use tool_runtime::tool;

/// Runs.
#[tool]
fn run() -> ! {
    loop {}
}

fn main() {
    run();
}
