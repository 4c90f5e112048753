//! A list of a type that can't be decoded, passed by reference.

use tool_runtime::tool;

struct City;

/// Counts.
#[tool]
async fn count(cities: &[City]) -> usize {
    cities.len()
}

fn main() {
    drop(count(&[City]));
}
