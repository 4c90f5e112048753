//! A context that is not injected.

use tool_runtime::{CallContext, tool};

#[tool]
fn call_id(ctx: &CallContext) -> String {
    ctx.call_id().to_owned()
}

fn main() {}
