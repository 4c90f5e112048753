//! A function where a tool is expected.

use tool_runtime::{Registry, RegistryBuilder, tool};

#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn registry() -> RegistryBuilder {
    Registry::builder().tool(add)
}

fn main() {}
