//! The story of one call: find, ask the hooks, decode and run, observe, resolve, present.

use std::{future::Future, pin::Pin, sync::Arc, time::Instant};

use serde_json::{Map, Value};
use tracing::{Instrument, Span};

use crate::{
    args,
    contain::{self, Panicked},
    context::{self, CallContext},
    conversation::Talk,
    error::{Problem, ProblemKind},
    guard::CallKey,
    notice::Notice,
    observe::{About, Observing},
    outcome::{Outcome, Promise, Status},
    policy::Policy,
    present::{self, Caller, Job, NeedsThread, Presented},
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
    pub fn call(&self, mut call: ToolCall) -> impl Future<Output = Outcome> + Send + use<> + 'static {
        let inner = Arc::clone(&self.inner);
        async move { tell(inner, &mut call, Place::Task, Seat::alone()).await.outcome }
    }

    /// Runs one call on this thread and waits for it; no async runtime is needed.
    ///
    /// Inside an async runtime only synchronous tools can run this way: an asynchronous one is [`Status::Blocked`],
    /// and the text names [`call`](Self::call). A thread of tokio's blocking pool (`spawn_blocking`) counts as inside:
    /// tokio lets nobody tell it from a worker, which must not be held up. There, wait for the other method:
    /// `Handle::current().block_on(registry.call(call))`.
    pub fn call_blocking(&self, mut call: ToolCall) -> Outcome {
        // Ready at the first poll: on a thread nothing is awaited, `run` waits for the tool itself.
        thread::park_until(tell(Arc::clone(&self.inner), &mut call, Place::Thread, Seat::alone())).outcome
    }

    /// Whether the arguments of a call fit its tool; nothing is run. An unknown tool has no arguments to check: it
    /// is one problem of kind [`ProblemKind::UnknownField`] at the empty path.
    pub fn check(&self, call: &ToolCall) -> Result<(), Vec<Problem>> {
        let Some(found) = self.inner.names.find(&call.name) else {
            return Err(vec![unknown_tool(&self.inner, call)]);
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
    /// Of a call in a turn that has a budget.
    pub(crate) job: Option<Box<Job>>,
}

/// What is left to tell of a call.
type Rest<'a> = Pin<Box<dyn Future<Output = Told> + Send + 'a>>;

/// Tells one call. Most wait for nobody, and for those a future with room for all that the others may wait for would
/// cost as much as the rest of the call; so the others get theirs in a box.
pub(crate) async fn tell(inner: Arc<Inner>, call: &mut ToolCall, place: Place, mut seat: Seat) -> Told {
    let (trace, rest): (_, Rest<'_>) = match tell_at_once(&inner, call, place, &mut seat) {
        Soon::Told(told) => return told,
        Soon::Ended(late) => {
            let (ended, trace) = *late;
            (trace, Box::pin(ended.told_apart(&seat)))
        }
        Soon::Waits => {
            let trace = Trace::open(&inner, call, seat.session().map(|session| &**session));
            (trace, Box::pin(tell_all(Arc::clone(&inner), call, place, &mut seat)))
        }
    };
    // In its span, where somebody listens.
    let Some(trace) = trace else { return rest.await };
    let told = rest.instrument(trace.span()).await;
    trace.close(&inner, &told.outcome);
    told
}

/// How far a call comes without waiting.
enum Soon {
    Told(Told),
    /// Its result has to be saved where that takes no task's time.
    Ended(Box<(Ended, Option<Trace>)>),
    /// Not begun.
    Waits,
}

/// The stages of [`tell_all`] where none of them waits: a tool that runs here, and neither hook nor turn.
fn tell_at_once(inner: &Arc<Inner>, call: &mut ToolCall, place: Place, seat: &mut Seat) -> Soon {
    let found = Subject::find(inner, call);
    let runs_here = |index: usize| run::runs_here(&inner.tools[index]);
    if Observing::of(inner).is_some() || seat.is_in_turn() || !found.index.is_none_or(runs_here) {
        return Soon::Waits;
    }
    let trace = Trace::open(inner, call, seat.session().map(|session| &**session));
    let span = trace.as_ref().map(Trace::span);
    let inside = span.as_ref().map(Span::enter);
    let began = Instant::now();
    let mut ran = match (seat.admit_now(), found.index) {
        (Err(refused), _) => Ran::refused(refused.text, refused.reason),
        (Ok(()), None) => Ran::told(Status::UnknownTool, unknown(inner, call)),
        (Ok(()), Some(index)) => {
            let context = context(inner, &found.name, call, seat);
            run::here(&Run { inner, index, call, context: &context, place })
        }
    };
    if let Some(notice) = seat.observe_now(ran.status, &ran.output, &ran.end) {
        ran.notices.push(Notice::harmless(notice));
    }
    let policy = policy(inner, found.index, &ran.output);
    let ended = Ended::new(Arc::clone(inner), found, call, seat, policy, ran, began);
    let presented = present::at_once(&ended.job, place);
    drop(inside);
    let Ok(presented) = presented else { return Soon::Ended(Box::new((ended, trace))) };
    let told = ended.told(presented, seat);
    if let Some(trace) = trace {
        trace.close(inner, &told.outcome);
    }
    Soon::Told(told)
}

async fn tell_all(inner: Arc<Inner>, call: &mut ToolCall, place: Place, seat: &mut Seat) -> Told {
    let began = Instant::now();
    let found = Subject::find(&inner, call);
    let (mut observed, mut blocked) = (None, None);
    if let Some(observing) = Observing::of(&inner) {
        let (tool, hints, session) = (&found.name, found.hints(&inner), seat.session());
        (observed, blocked) = observing.before(About { inner: &inner, tool, hints, session, call, place }).await;
    }
    if blocked.is_none() {
        blocked = seat.admit().await.err().map(|refused| Ran::refused(refused.text, refused.reason));
    }
    let mut ran = match (blocked, found.index) {
        (Some(blocked), _) => blocked,
        (None, None) => Ran::told(Status::UnknownTool, unknown(&inner, call)),
        (None, Some(index)) => {
            let context = context(&inner, &found.name, call, seat);
            run::run(Run { inner: &inner, index, call, context: &context, place }).await
        }
    };
    ran.notes.splice(0..0, call.notes.drain(..));
    ran.notices.extend(seat.observe(ran.status, &ran.output, &ran.end).await.map(Notice::harmless));
    // Before a hook may put another value in the place of one that says where it comes from.
    let policy = policy(&inner, found.index, &ran.output);
    if let Some(observed) = observed {
        observed.after(&inner, call, &mut ran, began).await;
    }
    let ended = Ended::new(inner, found, call, seat, policy, ran, began);
    match present::at_once(&ended.job, place) {
        Ok(presented) => ended.told(presented, seat),
        Err(NeedsThread) => Box::pin(ended.told_apart(seat)).await,
    }
}

/// A call that has ended and is to be shown.
struct Ended {
    index: Option<usize>,
    began: Instant,
    status: Status,
    metadata: Option<Box<Map<String, Value>>>,
    problems: Vec<Problem>,
    notes: Vec<String>,
    attempts: u32,
    still_running: bool,
    job: Job,
}

impl Ended {
    fn new(
        inner: Arc<Inner>,
        found: Subject,
        call: &ToolCall,
        seat: &Seat,
        policy: Policy,
        ran: Ran,
        began: Instant,
    ) -> Self {
        let Ran { status, output, end, metadata, problems, mut notes, notices, attempts, still_running } = ran;
        let Resolved { facing, note } = resolve::facing(end, &output);
        if note.is_some() {
            tracing::warn!(tool = &*found.name, call_id = &*call.id, "a view was not used");
        }
        if let Some(note) = found.note {
            notes.insert(0, note);
        }
        if let Some(note) = note {
            notes.push(note);
        }
        let job = Job {
            inner,
            tool: found.name,
            policy,
            call_id: Arc::clone(&call.id),
            output,
            facing,
            notices,
            caller: Caller::default(),
            session: seat.session().cloned(),
            kept: None,
        };
        Self { index: found.index, began, status, metadata, problems, notes, attempts, still_running, job }
    }

    async fn told_apart(mut self, seat: &Seat) -> Told {
        let presented;
        (presented, self.job) = present::apart(self.job).await;
        self.told(presented, seat)
    }

    fn told(self, presented: Presented, seat: &Seat) -> Told {
        let Self { index, began, status, metadata, problems, mut notes, attempts, still_running, job } = self;
        let Presented { mut shown, status: instead, leak } = presented;
        let receipt = &mut shown.receipt;
        if let Some(streamed) = job.output.as_stream() {
            streamed.settle();
        }
        let may_shrink = seat.is_in_turn() && job.inner.turns.budget.is_some();
        let shrinks = (may_shrink && instead.is_none() && job.can_shrink()).then(|| Box::new(job.clone()));
        let output = if leak {
            job.output.leak();
            Output::error("the result is nested too deeply to be kept")
        } else {
            job.output
        };
        if !notes.is_empty() {
            notes.append(&mut receipt.notes);
            receipt.notes = notes;
        }
        receipt.attempts = attempts;
        receipt.still_running = still_running;
        receipt.duration = began.elapsed();
        let tool = index.map(|index| &job.inner.tools[index]);
        let outcome = Outcome {
            call_id: job.call_id,
            tool_name: job.tool,
            status: instead.unwrap_or(status),
            shown,
            output,
            metadata,
            problems,
            wire_names: tool.and_then(|tool| tool.wire_names.clone()),
            promise: tool.and_then(|tool| promise(&job.inner, tool)),
        };
        seat.keep(&outcome);
        Told { outcome, job: shrinks }
    }
}

/// How the loop guard sees this call; `None` where it is off.
pub(crate) fn key(inner: &Inner, conversation: &dyn Talk, call: &ToolCall) -> Option<CallKey> {
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

fn unknown_tool(inner: &Inner, call: &ToolCall) -> Problem {
    let near = inner.told(inner.names.nearest(&call.name), call);
    Problem {
        path: String::new(),
        kind: ProblemKind::UnknownField,
        expected: if near.is_empty() { "the name of a tool".into() } else { near.join(" or ") },
        got: format!("`{}`", args::shown(&call.name, 80)),
    }
}

/// What a call to no tool reads: suggestions where a name is near, the names that there are where none is.
fn unknown(inner: &Inner, call: &ToolCall) -> String {
    let near = inner.told(inner.names.nearest(&call.name), call);
    let hint = if !near.is_empty() {
        format!(" Did you mean {}?", quoted(&near, " or "))
    } else if inner.tools.is_empty() {
        " There are no tools.".to_owned()
    } else {
        let some = inner.told(inner.names.sorted().take(20), call);
        let more = if inner.tools.len() > some.len() { ", …" } else { "" };
        format!(" Tools: {}{more}.", quoted(&some, ", "))
    };
    format!("Unknown tool `{}`; nothing was run.{hint}", args::shown(&call.name, 80))
}

fn quoted(names: &[&str], between: &str) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(between)
}

/// What MCP was promised of the tool's value.
fn promise(inner: &Inner, tool: &Installed) -> Option<Arc<Promise>> {
    let promise = tool.promise.get_or_init(|| {
        tool.described(inner.strict).promised_schema()?;
        let redactors = Arc::clone(&inner.redactors);
        Some(Arc::new(Promise { policy: tool.policy, redactors, keep: present::keep_promise(inner) }))
    });
    promise.clone()
}
