//! A misspelled attribute of a parameter.

use tool_runtime::tool;

#[tool]
fn query(#[injct] db: &String) -> usize {
    db.len()
}

fn main() {}
