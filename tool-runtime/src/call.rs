//! The story of one call: find, decode and run, resolve, present.

use std::{
    future::Future,
    sync::{Arc, OnceLock},
    time::Instant,
};

use crate::{
    args,
    contain::{self, Panicked},
    context::{self, CallContext},
    error::{Problem, ProblemKind},
    outcome::{ModelText, Outcome, Receipt, Status, ViewSource},
    present::{self, Job, Presented},
    registry::{Inner, Installed, Registry},
    request::ToolCall,
    run::{self, Ran, Run},
    thread::{self, Place},
    value::Output,
};

impl Registry {
    /// Runs one call to its outcome. There is always an outcome: errors, panics and wrong arguments are outcomes
    /// too, with a text that tells the model what to do.
    ///
    /// Dropping the future stops an asynchronous tool at its `await`. A synchronous tool runs inside `poll`.
    ///
    /// ```
    /// use tool_runtime::{Registry, ToolCall, tool, tools};
    ///
    /// /// Adds two numbers.
    /// #[tool]
    /// fn add(a: i64, b: i64) -> i64 {
    ///     a + b
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), tool_runtime::BuildError> {
    /// let registry = Registry::builder().tools(tools![add]).build()?;
    /// let outcome = registry.call(ToolCall::new("call_1", "add", r#"{"a":1,"b":2}"#)).await;
    /// assert_eq!(outcome.model_text(), "3");
    /// # Ok(())
    /// # }
    /// ```
    pub fn call(&self, call: ToolCall) -> impl Future<Output = Outcome> + Send + 'static {
        let inner = Arc::clone(&self.inner);
        async move { tell(&inner, call, Place::Task).await }
    }

    /// Runs one call on this thread and waits for it; no async runtime is needed.
    ///
    /// Inside an async runtime only synchronous tools can run this way: an asynchronous one is [`Status::Blocked`],
    /// and the text names [`call`](Self::call).
    pub fn call_blocking(&self, call: ToolCall) -> Outcome {
        // Ready at the first poll: on a thread nothing is awaited, `run` waits for the tool itself.
        thread::park_until(tell(&self.inner, call, Place::Thread))
    }

    /// Whether the arguments of a call fit its tool; nothing is run. An unknown tool has no arguments to check: it
    /// is one problem of kind [`ProblemKind::UnknownField`] at the empty path.
    pub fn check(&self, call: &ToolCall) -> Result<(), Vec<Problem>> {
        let Some(found) = self.inner.names.find(&call.name) else {
            return Err(vec![unknown_tool(&self.inner, &call.name)]);
        };
        let tool = &self.inner.tools[found.index];
        let text = call.arguments.text();
        let decoded =
            contain::call(|| args::check(&text, call.incomplete, &*tool.callable, &tool.schema, &self.inner.limits));
        decoded.unwrap_or_else(|Panicked(message)| {
            Err(vec![Problem {
                path: String::new(),
                kind: ProblemKind::InvalidType,
                expected: "arguments that the tool can decode".into(),
                got: format!("a panic: {}", args::shown(&message, 80)),
            }])
        })
    }
}

async fn tell(inner: &Arc<Inner>, call: ToolCall, place: Place) -> Outcome {
    let began = Instant::now();
    let Some(found) = inner.names.find(&call.name) else {
        return unknown(inner, &call, began);
    };
    let tool = &inner.tools[found.index];
    let context = context(inner, tool, &call);
    let run = Run { inner, index: found.index, call: &call, context: &context, place };
    let mut ran = contain::poll(run::run(run)).await.unwrap_or_else(Ran::panicked);
    if found.cleaned {
        ran.notes.push(format!("name `{}` read as `{}`", args::shown(&call.name, 80), tool.name));
    }
    ran.notes.extend(ran.resolved.note.take());
    let job = Job {
        inner: Arc::clone(inner),
        index: found.index,
        call_id: Arc::clone(&call.id),
        output: ran.output.clone(),
        facing: ran.resolved.facing,
        notices: ran.notices,
    };
    let presented = present::present_at(job, place).await;
    let mut outcome = finish(tool, call.id, ran.output, ran.status, presented);
    outcome.problems = ran.problems;
    outcome.receipt.notes.splice(0..0, ran.notes);
    outcome.receipt.still_running = ran.still_running;
    outcome.receipt.duration = began.elapsed();
    report(&outcome);
    outcome
}

fn context(inner: &Inner, tool: &Installed, call: &ToolCall) -> CallContext {
    CallContext::from(context::Parts {
        call_id: Arc::clone(&call.id),
        tool_name: Arc::clone(&tool.name),
        session: None,
        state: Arc::clone(&inner.state),
        extensions: call.extensions.clone(),
        progress: call.progress.clone(),
        cancellation: call.cancellation.clone(),
    })
}

fn unknown_tool(inner: &Inner, name: &str) -> Problem {
    let near = inner.names.nearest(name);
    Problem {
        path: String::new(),
        kind: ProblemKind::UnknownField,
        expected: if near.is_empty() { "the name of a tool".into() } else { near.join(" or ") },
        got: format!("`{}`", args::shown(name, 80)),
    }
}

/// The outcome of a call to no tool: suggestions where a name is near, the names that there are where none is.
fn unknown(inner: &Inner, call: &ToolCall, began: Instant) -> Outcome {
    let near = inner.names.nearest(&call.name);
    let listed: Vec<&str> = if near.is_empty() { inner.names.sorted().take(20).collect() } else { near };
    let hint = match (inner.names.nearest(&call.name).is_empty(), listed.is_empty()) {
        (false, _) => format!(" Did you mean {}?", quoted(&listed, " or ")),
        (true, false) => format!(" Tools: {}.", quoted(&listed, ", ")),
        (true, true) => " There are no tools.".to_owned(),
    };
    let text = format!("Unknown tool `{}`; nothing was run.{hint}", args::shown(&call.name, 80));
    let mut receipt = Receipt::new(ViewSource::Error);
    let chars = text.chars().count();
    (receipt.view_chars, receipt.shown_chars, receipt.model_chars) = (chars, chars, chars);
    receipt.duration = began.elapsed();
    let output = Output::error(&text);
    let outcome = Outcome {
        call_id: Arc::clone(&call.id),
        tool_name: call.name.as_str().into(),
        status: Status::UnknownTool,
        text: ModelText::SameAsOutput,
        content: None,
        text_part: OnceLock::new(),
        output,
        problems: Vec::new(),
        receipt,
    };
    report(&outcome);
    outcome
}

fn quoted(names: &[&str], between: &str) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(between)
}

fn finish(tool: &Installed, call_id: Arc<str>, output: Output, status: Status, presented: Presented) -> Outcome {
    let status = presented.status.unwrap_or(status);
    let output = if presented.leak {
        output.leak();
        Output::error("the result is nested too deeply to be kept")
    } else {
        output
    };
    Outcome {
        call_id,
        tool_name: Arc::clone(&tool.name),
        status,
        text: presented.text,
        content: presented.content,
        text_part: OnceLock::new(),
        output,
        problems: Vec::new(),
        receipt: presented.receipt,
    }
}

/// Names and sizes only; content never goes into a trace.
fn report(outcome: &Outcome) {
    let receipt = &outcome.receipt;
    tracing::debug!(
        tool = outcome.tool_name(),
        call_id = outcome.call_id(),
        status = outcome.status.name(),
        model_chars = receipt.model_chars,
        truncated = receipt.truncated,
        "tool call finished"
    );
    for note in &receipt.notes {
        tracing::warn!(tool = outcome.tool_name(), call_id = outcome.call_id(), note = note.as_str(), "tool call note");
    }
}
