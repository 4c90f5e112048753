//! Runs a tool. Most are started and waited for, and that is all ([`plain`]); those that ask for more bring along the
//! stage that knows it ([`whole`]).

mod attempts;
mod once;
mod plain;
mod ran;
mod retry;
mod settings;
mod whole;

use std::sync::Arc;

pub(crate) use self::ran::Ran;
use self::{settings::asks_for_more, whole::Whole};
use crate::{
    args::{self, Limits},
    contain,
    context::CallContext,
    outcome::Status,
    registry::{Inner, Installed},
    request::{Arguments, ToolCall},
    thread::Place,
};

/// One call about to run.
pub(crate) struct Run<'a> {
    pub(crate) inner: &'a Arc<Inner>,
    pub(crate) index: usize,
    pub(crate) call: &'a ToolCall,
    pub(crate) context: &'a CallContext,
    pub(crate) place: Place,
}

/// What it takes to run a tool.
enum Takes {
    Nothing,
    Stage(&'static Whole),
    /// A stage that it should have brought along.
    Missing,
}

impl Takes {
    fn of(tool: &Installed) -> Self {
        match tool.spec.stages.running {
            None if !asks_for_more(&tool.spec) => Self::Nothing,
            stage => stage.and_then(|stage| stage.downcast_ref()).map_or(Self::Missing, Self::Stage),
        }
    }
}

/// Decodes the arguments and runs the tool; whatever happens, something comes back.
pub(crate) async fn run(run: Run<'_>) -> Ran {
    match Takes::of(run.tool()) {
        Takes::Nothing => run.plain().await,
        Takes::Stage(whole) => whole.run(run).await,
        Takes::Missing => Ran::stopped(Status::Blocked, "Not run".into(), "its settings can't be kept here".into()),
    }
}

/// Whether a call of this tool waits for nobody; [`here`] runs it then.
pub(crate) fn runs_here(tool: &Installed) -> bool {
    tool.callable.is_sync() && matches!(Takes::of(tool), Takes::Nothing)
}

/// The same as [`run`] for a tool that [`runs_here`].
pub(crate) fn here(run: &Run<'_>) -> Ran {
    match run.refusal() {
        Some(refused) => refused,
        None => run.at_once(),
    }
}

/// What the tool will make of the arguments, as JSON text; `None` where they don't fit it.
pub(crate) fn as_read(tool: &Installed, arguments: &Arguments, incomplete: bool, limits: &Limits) -> Option<String> {
    let text = arguments.text();
    contain::call(|| args::as_read(&text, incomplete, &*tool.callable, &tool.schema, limits)).ok()?.ok()
}

// Here and not in the tests of both crates, to which a setting without its stage is out of reach.
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::future::ready;

    use serde_json::json;

    use crate::{DynTool, Registry, Status, ToolCall, ToolResult, ToolSpec, stages::Stages, thread::park_until};

    #[test]
    fn a_tool_whose_settings_nothing_keeps_is_not_run() {
        let spec = || ToolSpec::new("t", "Never runs.");
        for mut spec in [spec().approval(), spec().max_concurrent(1), spec().retries(1)] {
            spec.stages = Stages::NONE;
            let tool = DynTool::new(spec, json!({ "type": "object" }), |_, _| ready(Ok(ToolResult::new(json!(1)))));
            let registry = Registry::builder().tool(tool).approver(|_| ready(true)).build().unwrap();
            let call = || ToolCall::new("1", "t", "{}");
            for outcome in [registry.call_blocking(call()), park_until(registry.call(call()))] {
                assert_eq!(outcome.status(), Status::Blocked);
                assert_eq!(outcome.model_text(), "[Not run]\nits settings can't be kept here");
                assert_eq!(outcome.receipt().attempts, 0);
            }
        }
    }
}
