//! The context itself.

use tool_runtime::{CallContext, tool};

#[tool]
fn call_id(#[inject] ctx: CallContext) -> String {
    ctx.call_id().to_owned()
}

fn main() {}
