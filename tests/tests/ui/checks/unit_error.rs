//! An error that says nothing.

use tool_runtime::tool;

#[tool]
fn find(name: String) -> Result<String, ()> {
    Ok(name)
}

fn main() {}
