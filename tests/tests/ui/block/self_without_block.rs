//! An associated function that is a tool, which shows by its type that its block is none.

use tool_runtime::tool;

#[derive(serde::Serialize)]
struct Db;

impl Db {
    #[tool]
    fn open(path: String) -> Result<Self, String> {
        let _ = path;
        Ok(Self)
    }
}

fn main() {}
