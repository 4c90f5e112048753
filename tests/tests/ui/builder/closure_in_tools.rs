//! A closure in `tools!`.

use tool_runtime::{Registry, RegistryBuilder, tool, tools};

#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn registry() -> RegistryBuilder {
    Registry::builder().tools(tools![|a: i64| a])
}

fn main() {}
