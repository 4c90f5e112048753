//! Mistakes in two methods.

use tool_runtime::tool;

struct Db;

#[tool]
impl Db {
    #[tool(nam = "q")]
    fn query(&self, _sql: &mut String) {}

    #[tool(max_result_size = 0)]
    fn insert(self) {}
}

fn main() {}
