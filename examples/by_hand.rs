//! Tools without the macro: one with a type for its arguments, one whose schema is known only at run time.
//!
//! Notice that both go through the same call as a `#[tool]`: the same argument messages, limits and fence. Take
//! `Tool` where a tool has state, `DynTool` for tools that come from a file or another process.
//!
//! ```sh
//! cargo run --example by_hand
//! ```

use std::sync::atomic::{AtomicU64, Ordering};

use serde::Deserialize;
use serde_json::json;
use tool_runtime::{
    BuildError, CallContext, DynTool, Registry, Tool, ToolCall, ToolError, ToolResult, ToolSpec, Trust,
    schemars::JsonSchema,
};

/// Counts on from wherever it stands.
#[derive(Default)]
struct Counter(AtomicU64);

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "tool_runtime::schemars")]
struct Step {
    /// By how much.
    by: u32,
}

impl Tool for Counter {
    type Args = Step;
    type Output = u64;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new("count", "Counts on, and says how far.")
    }

    async fn run(&self, step: Step, ctx: &CallContext) -> Result<ToolResult<u64>, ToolError> {
        let by = u64::from(step.by);
        let now = self.0.fetch_add(by, Ordering::Relaxed) + by;
        Ok(ToolResult::new(now).metadata("counted_in", ctx.call_id()))
    }
}

fn main() -> Result<(), BuildError> {
    let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] });
    let spec = ToolSpec::new("shout", "Says it louder.").trust(Trust::External).max_result_size(60);
    let shout = DynTool::new(spec, schema, |args, _ctx| async move {
        let text = args["text"].as_str().ok_or(ToolError::new("no text"))?;
        Ok(ToolResult::new(json!({ "loud": text.to_uppercase() })))
    });

    let registry = Registry::builder().tool(Counter::default()).tool(shout).deterministic(1).build()?;
    let calls = [
        ("count", r#"{"by":42}"#),
        ("count", r#"{"by":-1}"#),
        ("shout", r#"{"text":"a whisper that goes on, and on, and on, for far too long"}"#),
        ("shout", r#"{"text":[5]}"#),
    ];
    for (name, arguments) in calls {
        let outcome = registry.call_blocking(ToolCall::new("call_1", name, arguments));
        println!("━━━ {name} {arguments}\n{}\n", outcome.model_text());
    }
    Ok(())
}
