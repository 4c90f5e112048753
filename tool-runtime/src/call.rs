//! The story of one call: find, decode and run, resolve, present.

use std::{
    future::Future,
    sync::{Arc, OnceLock},
    time::Instant,
};

use serde_json::Map;
use tracing::Instrument;

use crate::{
    args,
    contain::{self, Panicked},
    context::{self, CallContext},
    conversation::Conversation,
    error::{Problem, ProblemKind},
    guard::CallKey,
    notice::Notice,
    observe::Observed,
    outcome::{Outcome, Promise, Status},
    policy::Policy,
    present::{self, Caller, Job, Presented},
    registry::{Inner, Installed, Registry},
    request::ToolCall,
    resolve::{self, Resolved},
    run::{self, Ran, Run},
    seat::Seat,
    spec::Hints,
    thread::{self, Place},
    trace::Trace,
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
        async move { tell(&inner, call, Place::Task, Seat::alone()).await.outcome }
    }

    /// Runs one call on this thread and waits for it; no async runtime is needed.
    ///
    /// Inside an async runtime only synchronous tools can run this way: an asynchronous one is [`Status::Blocked`],
    /// and the text names [`call`](Self::call). A thread of tokio's blocking pool (`spawn_blocking`) counts as inside:
    /// tokio lets nobody tell it from a worker, which must not be held up. There, wait for the other method:
    /// `Handle::current().block_on(registry.call(call))`.
    pub fn call_blocking(&self, call: ToolCall) -> Outcome {
        // Ready at the first poll: on a thread nothing is awaited, `run` waits for the tool itself.
        thread::park_until(tell(&self.inner, call, Place::Thread, Seat::alone())).outcome
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

/// An outcome, and what it takes to present it again where that makes it shorter.
pub(crate) struct Told {
    pub(crate) outcome: Outcome,
    pub(crate) job: Option<Job>,
}

pub(crate) async fn tell(inner: &Arc<Inner>, call: ToolCall, place: Place, seat: Seat) -> Told {
    let trace = Trace::open(inner, &call, seat.session().map(|session| &**session));
    let told = tell_all(inner, call, place, seat).instrument(trace.span()).await;
    trace.close(inner, &told.outcome);
    told
}

async fn tell_all(inner: &Arc<Inner>, mut call: ToolCall, place: Place, mut seat: Seat) -> Told {
    let began = Instant::now();
    let found = Subject::find(inner, &call);
    let (observed, blocked) =
        Observed::before(inner, &found.name, found.hints(inner), seat.session(), &mut call, place).await;
    let blocked = match blocked {
        None => seat.admit().await.err().map(|refusal| Ran::refused(refusal.text(), refusal.reason())),
        blocked => blocked,
    };
    let mut ran = match (blocked, found.index) {
        (Some(blocked), _) => blocked,
        (None, None) => Ran::told(Status::UnknownTool, unknown(inner, &call.name)),
        (None, Some(index)) => {
            let context = context(inner, &found.name, &call, &seat);
            let run = Run { inner, index, call: &call, context: &context, place };
            contain::poll(run::run(run)).await.unwrap_or_else(Ran::panicked)
        }
    };
    ran.notes.splice(0..0, found.note.into_iter().chain(call.notes.drain(..)));
    ran.notices.extend(seat.observe(ran.status, &ran.output, &ran.end).await.map(Notice::new));
    // Before a hook may put another value in the place of one that says where it comes from.
    let policy = policy(inner, found.index, &ran.output);
    observed.after(inner, &call, &mut ran, began).await;
    let Ran { status, output, end, metadata, problems, mut notes, notices, attempts, still_running } = ran;
    let Resolved { facing, note } = resolve::facing(end, &output);
    if note.is_some() {
        tracing::warn!(tool = &*found.name, call_id = &*call.id, "a view was not used");
    }
    notes.extend(note);
    let job = Job {
        inner: Arc::clone(inner),
        tool: Arc::clone(&found.name),
        policy,
        call_id: Arc::clone(&call.id),
        output: output.clone(),
        facing,
        notices,
        caller: Caller::default(),
        session: seat.session().cloned(),
        kept: None,
    };
    let (presented, job) = present::present_at(job, place).await;
    let job = (presented.status.is_none() && job.can_shrink()).then_some(job);
    if let Some(streamed) = output.as_stream() {
        streamed.settle();
    }
    let mut outcome = finish(found.name, call.id, output, status, presented);
    outcome.problems = problems;
    outcome.metadata = metadata;
    if let Some(index) = found.index {
        inner.tools[index].wire_names.clone_into(&mut outcome.wire_names);
        outcome.promise = promise(inner, &inner.tools[index]);
    }
    outcome.receipt.notes.splice(0..0, notes);
    outcome.receipt.attempts = attempts;
    outcome.receipt.still_running = still_running;
    outcome.receipt.duration = began.elapsed();
    seat.keep(outcome.artifact());
    Told { outcome, job }
}

/// How the loop guard sees this call; `None` where it is off.
pub(crate) fn key(inner: &Inner, conversation: &Conversation, call: &ToolCall) -> Option<CallKey> {
    let spec = inner.names.find(&call.name).map(|found| &*inner.tools[found.index].spec);
    conversation.key(spec, &call.name, &call.arguments, inner.limits.bytes)
}

/// What the call is about.
struct Subject {
    /// Of the tool; of nothing, as the model wrote it.
    name: Arc<str>,
    index: Option<usize>,
    note: Option<String>,
}

impl Subject {
    fn find(inner: &Inner, call: &ToolCall) -> Self {
        let Some(found) = inner.names.find(&call.name) else {
            return Self { name: call.name.as_str().into(), index: None, note: None };
        };
        let name = Arc::clone(&inner.tools[found.index].name);
        let note = found.cleaned.then(|| format!("name `{}` read as `{name}`", args::shown(&call.name, 80)));
        Self { name, index: Some(found.index), note }
    }

    fn hints(&self, inner: &Inner) -> Hints {
        self.index.map_or_else(Hints::default, |index| inner.tools[index].spec.hints)
    }
}

fn context(inner: &Arc<Inner>, tool: &Arc<str>, call: &ToolCall, seat: &Seat) -> CallContext {
    CallContext::from(context::Parts {
        call_id: Arc::clone(&call.id),
        tool_name: Arc::clone(tool),
        session: seat.session().cloned(),
        state: Arc::clone(&inner.state),
        extensions: call.extensions.clone(),
        progress: call.progress.clone(),
        plans: Some(Arc::clone(inner) as _),
        cancellation: call.cancellation.clone(),
    })
}

/// The tool's; a piece of a saved result is as trusted as the result was.
fn policy(inner: &Inner, index: Option<usize>, output: &Output) -> Policy {
    let policy = index.map_or_else(Policy::default, |index| inner.tools[index].policy);
    match output.as_excerpt() {
        Some(excerpt) => Policy { trust: excerpt.trust, ..policy },
        None => policy,
    }
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

/// What a call to no tool reads: suggestions where a name is near, the names that there are where none is.
fn unknown(inner: &Inner, name: &str) -> String {
    let near = inner.names.nearest(name);
    let hint = if !near.is_empty() {
        format!(" Did you mean {}?", quoted(&near, " or "))
    } else if inner.tools.is_empty() {
        " There are no tools.".to_owned()
    } else {
        let some: Vec<&str> = inner.names.sorted().take(20).collect();
        let more = if inner.tools.len() > some.len() { ", …" } else { "" };
        format!(" Tools: {}{more}.", quoted(&some, ", "))
    };
    format!("Unknown tool `{}`; nothing was run.{hint}", args::shown(name, 80))
}

fn quoted(names: &[&str], between: &str) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(between)
}

fn finish(tool: Arc<str>, call_id: Arc<str>, output: Output, status: Status, presented: Presented) -> Outcome {
    let status = presented.status.unwrap_or(status);
    let output = if presented.leak {
        output.leak();
        Output::error("the result is nested too deeply to be kept")
    } else {
        output
    };
    Outcome {
        call_id,
        tool_name: tool,
        status,
        text: presented.text,
        content: presented.content,
        text_part: OnceLock::new(),
        output,
        metadata: Map::new(),
        problems: Vec::new(),
        receipt: presented.receipt,
        wire_names: None,
        promise: None,
    }
}

/// What MCP was promised of the tool's value.
fn promise(inner: &Inner, tool: &Installed) -> Option<Promise> {
    tool.described(inner.strict).promised_schema()?;
    Some(Promise { policy: tool.policy, redactors: Arc::clone(&inner.redactors), keep: present::keep_promise })
}
