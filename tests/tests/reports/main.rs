//! What went wrong elsewhere, tried here: the rows of `reports.jsonl` that no other test is named after, one test each,
//! whose name begins with the row's id.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "tests")]

mod arguments;
mod fencing;
#[cfg(unix)]
mod spill;
mod truncation;

use serde_json::{Value, json};
use tool_runtime::{DynTool, Outcome, RegistryBuilder, ToolCall, ToolResult, ToolSpec};

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall::new("1", name, arguments.to_owned())
}

/// Calls the only tool there is, without arguments.
fn run(builder: RegistryBuilder) -> Outcome {
    let registry = builder.build().unwrap();
    let name = registry.tool_names().next().unwrap().to_owned();
    registry.call_blocking(call(&name, "{}"))
}

/// A tool that returns this value.
fn returning(spec: ToolSpec, value: Value) -> DynTool {
    DynTool::new(spec, json!({ "type": "object" }), move |_, _| std::future::ready(Ok(ToolResult::new(value.clone()))))
}

/// A tool of whose result the model reads this text.
fn saying(spec: ToolSpec, text: &str) -> DynTool {
    let result = ToolResult::new(json!(text)).model_output(text);
    DynTool::new(spec, json!({ "type": "object" }), move |_, _| std::future::ready(Ok(result.clone())))
}

fn chars(text: &str) -> usize {
    text.chars().count()
}
