//! A method of a trait that is not imported.

use tool_runtime::{Registry, RegistryBuilder, tool};

struct Db;

#[tool]
impl Db {
    #[tool]
    fn query(&self) {}
}

fn registry() -> RegistryBuilder {
    Registry::builder().tools(Db.into_tools())
}

fn main() {}
