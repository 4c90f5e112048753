//! The value of a block borrows, for a lifetime without a name.

use tool_runtime::tool;

struct Db<'a>(&'a str);

#[tool]
impl Db<'_> {
    #[tool]
    fn query(&self) -> String {
        self.0.to_owned()
    }
}

fn main() {}
