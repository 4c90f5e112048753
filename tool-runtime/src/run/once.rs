//! One attempt: on the spot or on the blocking pool, with the permit that it has and in the time that is left.

use std::sync::Arc;

use super::{
    Run,
    ran::{Finished, Ran},
};
use crate::{
    args::{self, Decoded},
    aside::{self, Left},
    callable::{AsItIs, Running, Started},
    contain,
    context::CallContext,
    gate::{self, Permit},
    outcome::Status,
    policy::Yields,
    thread::{self, Countdown, Place},
};

/// What one attempt runs with.
pub(super) struct Attempt<'a> {
    pub(super) context: &'a CallContext,
    /// Given back when the tool has ended, and not before.
    pub(super) permit: Option<Permit>,
    pub(super) countdown: Countdown,
}

impl<'a> Attempt<'a> {
    /// That of a tool which is run once, whenever it is called.
    pub(super) fn only(run: &Run<'a>) -> Self {
        Self { context: run.context, permit: None, countdown: Countdown::of(run.tool().spec.timeout) }
    }
}

impl Run<'_> {
    /// Says in `attempts` whether the tool was begun.
    pub(super) async fn once(&self, attempt: Attempt<'_>) -> Ran {
        if self.goes_apart() {
            Box::pin(self.apart(attempt)).await.counted()
        } else {
            self.here(attempt).await.counted()
        }
    }

    /// Whether the tool runs on the blocking pool. One of ours does where there is one, and else waits where it is,
    /// like a save.
    fn goes_apart(&self) -> bool {
        let spec = &self.tool().spec;
        spec.blocking || (spec.yields == Yields::Excerpts && self.place == Place::Task && thread::is_inside_runtime())
    }

    /// Runs the tool inside this task or on this thread.
    async fn here(&self, attempt: Attempt<'_>) -> Ran {
        let Attempt { context, permit, countdown } = attempt;
        let decoded = match gate::inside(permit.as_ref(), || self.start(context)) {
            Ok(decoded) => held(decoded, permit.as_ref()),
            Err(ran) => return *ran,
        };
        self.ended(decoded, countdown.timer()).await.map_or_else(|left| self.left(left), Ran::ended)
    }

    /// Runs the tool where it may block.
    async fn apart(&self, attempt: Attempt<'_>) -> Ran {
        let Some(slot) = self.inner.blocking.enter() else {
            let body = format!(
                "{} calls of blocking tools are running already; try again when one has finished",
                self.inner.blocking.most()
            );
            return Ran::stopped(Status::Busy, "Busy, not run".into(), body);
        };
        let Attempt { context, permit, countdown } = attempt;
        let inner = Arc::clone(self.inner);
        let (index, its_context) = (self.index, context.clone());
        let (text, incomplete) = (self.call.arguments.text().into_owned(), self.call.incomplete);
        let span = tracing::Span::current();
        let work = move || {
            let _slot = slot;
            // What the tool traces belongs to its call, on whatever thread.
            let _inside = span.enter();
            let tool = &inner.tools[index];
            contain::call(|| {
                gate::inside(permit.as_ref(), || {
                    let (callable, schema) = (&*tool.callable, &tool.schema);
                    let decoded = args::start(&text, incomplete, callable, schema, &inner.limits, &its_context)?;
                    Ok(Finished::waited_for(held(decoded, permit.as_ref())))
                })
            })
        };
        let result = match self.place {
            Place::Thread => aside::run(work, countdown.left(), context.known_cancellation()),
            Place::Task => match thread::run_apart(work) {
                Some(result) => {
                    let result = self.wait(result, countdown.timer()).await;
                    result.and_then(|result| result.ok_or(Left::NoThread))
                }
                None => {
                    let body = "a `blocking` tool needs a tokio runtime; use `Registry::call_blocking` without one";
                    return Ran::stopped(Status::Blocked, "Not run".into(), body.into());
                }
            },
        };
        match result {
            Ok(Ok(Ok(finished))) => Ran::finished(finished),
            Ok(Ok(Err(problems))) => Ran::misfit(self.tool().told(self.call), problems),
            Ok(Err(panicked)) => Ran::panicked(panicked),
            Err(Left::NoThread) => self.left(Left::NoThread),
            Err(left) => {
                // The thread can't be stopped, but the tool may look.
                context.cancellation().cancel();
                Ran { still_running: true, ..self.left(left) }
            }
        }
    }
}

/// A tool that has started, to be polled with the permit in hand.
fn held<'a>(decoded: Decoded<'a>, permit: Option<&'a Permit>) -> Decoded<'a> {
    let started = match decoded.started {
        Started::Later(future) if permit.is_some() => {
            Started::Later(Running::new(gate::poll_inside(permit, future), &AsItIs))
        }
        started => started,
    };
    Decoded { started, ..decoded }
}
