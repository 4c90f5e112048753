//! A value in place of its tools.

use tool_runtime::{Registry, RegistryBuilder, tool};

struct Db;

#[tool]
impl Db {
    #[tool]
    fn query(&self) {}
}

fn registry() -> RegistryBuilder {
    Registry::builder().tools(Db)
}

fn main() {}
