//! An associated function that is a tool, whose block is none, which only a macro's argument shows.

use tool_runtime::tool;

macro_rules! list {
    ($($of:tt)*) => { Vec<$($of)*> };
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Db;

impl Db {
    #[tool]
    fn open(all: list!(Option<(Self, u8)>)) {
        let _ = all;
    }
}

fn main() {}
