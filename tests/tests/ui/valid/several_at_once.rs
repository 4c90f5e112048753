//! Six mistakes, six errors.

use tool_runtime::tool;

/// Adds.
#[tool(nam = "add", max_result_size = 0, truncation = tail, read_only, destructive)]
fn add<T>(a: &mut i64, #[serde(skip)] b: i64) -> i64 {
    *a + b
}

fn main() {
    add::<u8>(&mut 1, 2);
}
