//! A block for values of many types.

use tool_runtime::tool;

trait Store {}

#[tool]
impl dyn Store + Send + Sync {
    #[tool]
    fn size(&self) -> u8 {
        0
    }
}

fn main() {}
