//! The value of a block borrows.

use tool_runtime::tool;

struct Db<'a>(&'a str);

#[tool]
impl<'a> Db<'a> {
    #[tool]
    fn query(&self) -> String {
        self.0.to_owned()
    }
}

fn main() {}
