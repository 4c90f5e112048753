//! A result that can't be turned into JSON.

use tool_runtime::tool;

struct City;

/// Finds.
#[tool]
fn find(name: String) -> Result<City, String> {
    Err(name)
}

fn main() {
    let _ = find(String::new());
}
