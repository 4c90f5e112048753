//! A value in place of one tool.

use tool_runtime::{Registry, RegistryBuilder, tool};

struct Db;

#[tool]
impl Db {
    #[tool]
    fn query(&self) {}
}

fn registry() -> RegistryBuilder {
    Registry::builder().tool(Db)
}

fn main() {}
