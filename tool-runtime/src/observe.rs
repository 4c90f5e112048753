//! Asks the hooks: before a call whether and how it runs, after it what becomes of the result.

use std::{future::Future, pin::Pin, sync::Arc, time::Instant};

use crate::{
    contain::{self, Panicked},
    hook::{After, AfterCall, Before, BeforeCall, DEFAULT_TIMEOUT, ErasedHook, Hook, Reader},
    outcome::Status,
    registry::{Inner, RegistryBuilder},
    request::{Arguments, ToolCall},
    resolve::End,
    run::{self, Ran},
    spec::Hints,
    stages::Stages,
    thread::{self, Place},
};

/// The stage, as [`RegistryBuilder::hook`] brings it along.
pub(crate) struct Observing(for<'a> fn(About<'a>) -> Soon<'a, Answer>);

static STAGE: Observing = Observing(|about| Box::pin(Observed::before(about)));

type Soon<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Who waits for the end of the call, and that end where a hook put one in place of the tool.
type Answer = (Option<Box<dyn Observer>>, Option<Ran>);

/// A call about to be made.
pub(crate) struct About<'a> {
    pub(crate) inner: &'a Inner,
    /// The tool's name; of no tool, as the model wrote it.
    pub(crate) tool: &'a Arc<str>,
    pub(crate) hints: Hints,
    pub(crate) session: Option<&'a Arc<str>>,
    pub(crate) call: &'a mut ToolCall,
    pub(crate) place: Place,
}

/// The hooks that wait for the end of one call. Dropped before [`after`](Self::after) is through, it tells those that
/// are left.
pub(crate) trait Observer: Send {
    /// Tells every hook how the call ended, and does what they decide.
    fn after<'a>(
        self: Box<Self>,
        inner: &'a Inner,
        call: &'a ToolCall,
        ran: &'a mut Ran,
        began: Instant,
    ) -> Soon<'a, ()>
    where
        Self: 'a;
}

impl Observing {
    /// `None` where nobody looks.
    pub(crate) fn of(inner: &Inner) -> Option<&'static Self> {
        inner.stages.observing?.downcast_ref()
    }

    /// Asks every hook that applies, if there is one. The arguments may change; a reason not to run the tool comes
    /// back as its end.
    pub(crate) fn before<'a>(&self, about: About<'a>) -> Soon<'a, Answer> {
        (self.0)(about)
    }
}

impl RegistryBuilder {
    /// Looks at every call; more than one run in the order in which they are added.
    pub fn hook(mut self, hook: impl Hook) -> Self {
        self.hooks.push(Box::new(hook));
        // What a hook says beside a result has to be cleaned, and what it puts in the place of one may be anything.
        self.stages = Stages { observing: Some(&STAGE), ..self.stages.with_presenting() };
        self
    }
}

/// The hooks of one call.
struct Observed {
    /// Of the registry.
    hooks: Arc<[Box<dyn ErasedHook>]>,
    /// Those that this call concerns.
    concerned: Vec<usize>,
    /// What `before` saw last, for hooks that hear of nothing more.
    call: Option<BeforeCall>,
    /// How many hooks have been told how the call ended.
    told: usize,
    place: Place,
}

impl Drop for Observed {
    fn drop(&mut self) {
        let Some(call) = &self.call else { return };
        for &hook in &self.concerned[self.told..] {
            // The caller is gone: nobody could be told of a panic.
            let _ = contain::call(|| self.hooks[hook].cancelled(call));
        }
    }
}

/// A hook that came to no decision.
enum Failed {
    Panicked(String),
    TimedOut,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Panicked(message) => write!(f, "panicked: {message}"),
            Self::TimedOut => f.write_str("took too long"),
        }
    }
}

impl Failed {
    /// For the receipt.
    fn note(&self, required: bool) -> String {
        format!("a {}hook {self}", if required { "required " } else { "" })
    }

    /// Without the panic's text, which may quote the call; so may a name that no tool has.
    fn report(&self, inner: &Inner, tool: &str, call_id: &str) {
        let tool = inner.names.find(tool).map(|_| tool);
        let fault = match self {
            Self::Panicked(_) => "panicked",
            Self::TimedOut => "timed out",
        };
        tracing::warn!(tool, call_id, fault, "a hook came to no decision");
    }
}

impl Observed {
    async fn before(about: About<'_>) -> Answer {
        let About { inner, tool, hints, session, call, place } = about;
        let hooks = Arc::clone(&inner.hooks);
        let applies = |&hook: &usize| contain::call(|| hooks[hook].applies_to(tool)).unwrap_or(true);
        let concerned: Vec<usize> = (0..hooks.len()).filter(applies).collect();
        if concerned.is_empty() {
            return (None, None);
        }
        let (limits, incomplete) = (inner.limits, call.incomplete);
        let reader = inner.names.find(tool).map(|found| {
            let tool = Arc::clone(&inner.tools[found.index]);
            Arc::new(move |arguments: &Arguments| run::as_read(&tool, arguments, incomplete, &limits)) as _
        });
        let mut seen = BeforeCall {
            call_id: Arc::clone(&call.id),
            tool: Arc::clone(tool),
            arguments: call.arguments.clone(),
            hints,
            session: session.cloned(),
            reader: Reader(reader),
        };
        let mut observed = Box::new(Self { hooks, concerned, call: Some(seen.clone()), told: 0, place });
        let mut notes = Vec::new();
        let mut blocked = None;
        for &hook in &observed.concerned {
            let hook = &*observed.hooks[hook];
            match decide(place, hook, || hook.before(&seen)).await {
                Ok(Before::Go) => {}
                Ok(Before::Arguments(arguments)) => {
                    notes.push("a hook changed the arguments".to_owned());
                    seen.arguments = arguments.bounded();
                }
                Ok(Before::Block(reason)) => {
                    blocked = Some(Ran::stopped(Status::Blocked, "Blocked, and not run".into(), reason));
                    break;
                }
                Err(failed) => {
                    let required = is_required(hook);
                    notes.push(failed.note(required));
                    failed.report(inner, tool, &call.id);
                    if required {
                        let reason = "a check that has to pass before every call failed".to_owned();
                        blocked = Some(Ran::stopped(Status::Blocked, "Blocked, and not run".into(), reason));
                        break;
                    }
                }
            }
        }
        call.arguments = seen.arguments.clone();
        call.notes = notes;
        observed.call = Some(seen);
        (Some(observed), blocked)
    }

    async fn tell(mut self: Box<Self>, inner: &Inner, call: &ToolCall, ran: &mut Ran, began: Instant) {
        let Some(seen) = &self.call else { return };
        let mut end = AfterCall {
            call_id: Arc::clone(&seen.call_id),
            tool: Arc::clone(&seen.tool),
            arguments: call.arguments.clone(),
            status: ran.status,
            output: ran.output.clone(),
            metadata: ran.metadata.as_deref().cloned().unwrap_or_default(),
            duration: began.elapsed(),
            session: seen.session.clone(),
        };
        for index in 0..self.concerned.len() {
            let hook = &*self.hooks[self.concerned[index]];
            (end.status, end.duration) = (ran.status, began.elapsed());
            // Whoever drops the call now leaves this hook, and those behind it, untold.
            let decided = decide(self.place, hook, || hook.after(&end)).await;
            self.told = index + 1;
            match decided {
                Ok(After::Keep) => {}
                Ok(After::Note(notice)) => ran.notices.push(notice),
                Ok(After::Replace(value)) => {
                    replace(ran, value);
                    end.output = ran.output.clone();
                }
                Ok(After::Block(reason)) => {
                    ran.status = Status::Blocked;
                    ran.end = End::Stopped { title: "Blocked: the result is not shown".into(), body: reason };
                }
                Err(failed) => {
                    let required = is_required(hook);
                    ran.notes.push(failed.note(required));
                    failed.report(inner, &end.tool, &end.call_id);
                    if required {
                        ran.status = Status::Withheld;
                        let body = "a check that every result has to pass failed".to_owned();
                        ran.end = End::Stopped { title: "Withheld: the result is not shown".into(), body };
                    }
                }
            }
        }
    }
}

impl Observer for Observed {
    fn after<'a>(
        self: Box<Self>,
        inner: &'a Inner,
        call: &'a ToolCall,
        ran: &'a mut Ran,
        began: Instant,
    ) -> Soon<'a, ()>
    where
        Self: 'a,
    {
        Box::pin(self.tell(inner, call, ran, began))
    }
}

/// A hook that doesn't know is taken for one that is required.
fn is_required(hook: &dyn ErasedHook) -> bool {
    contain::call(|| hook.required()).unwrap_or(true)
}

/// The old view goes with the old value.
fn replace(ran: &mut Ran, value: serde_json::Value) {
    match &mut ran.end {
        End::Returned(returned) if returned.output.is_ok() => {
            ran.output = ran.output.replaced(value);
            returned.output = Ok(ran.output.clone());
            if let Some(beside) = &mut returned.beside {
                beside.model_output = None;
                beside.content.clear();
            }
            ran.notes.push("a hook replaced the value".to_owned());
        }
        _ => ran.notes.push("a hook wanted to replace a value, and there was none".to_owned()),
    }
}

/// Waits for a hook, but not for ever, and contains its panics.
async fn decide<'h, T, D>(place: Place, hook: &'h dyn ErasedHook, ask: impl FnOnce() -> D + Send) -> Result<T, Failed>
where
    T: Send,
    D: Future<Output = T> + Send + 'h,
{
    let watched = async {
        let timeout = contain::call(|| hook.timeout()).unwrap_or(DEFAULT_TIMEOUT);
        let deadline = thread::deadline(Some(timeout));
        // Made inside, so that a hook finds the runtime that it will run on.
        let asked = contain::poll(async { ask().await });
        thread::until(asked, deadline).await
    };
    let answered = match place {
        Place::Task => watched.await,
        Place::Thread => thread::wait(watched),
    };
    match answered {
        Some(Ok(decision)) => Ok(decision),
        Some(Err(Panicked(message))) => Err(Failed::Panicked(message)),
        None => Err(Failed::TimedOut),
    }
}
