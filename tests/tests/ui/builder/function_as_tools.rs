//! A function where a list is expected.

use tool_runtime::{Registry, RegistryBuilder, tool};

#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn registry() -> RegistryBuilder {
    Registry::builder().tools(add)
}

fn main() {}
