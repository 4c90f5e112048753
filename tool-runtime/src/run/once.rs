//! Runs a tool once: on the spot or on the blocking pool, with panics contained.

use std::sync::Arc;

use super::{
    Run,
    ran::{Finished, Ran},
};
use crate::{
    args::{self, Decoded},
    aside::{self, Left},
    callable::Started,
    contain,
    context::CallContext,
    gate::{self, Permit},
    outcome::Status,
    policy::Yields,
    registry::Installed,
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

/// Whether the tool runs on the blocking pool. One of ours does where there is one, and else waits where it is, like
/// a save.
pub(super) fn goes_apart(tool: &Installed, place: Place) -> bool {
    let spec = &tool.spec;
    spec.blocking || (spec.yields == Yields::Excerpts && place == Place::Task && thread::is_inside_runtime())
}

impl Run<'_> {
    /// Says in `attempts` whether the tool was begun.
    pub(super) async fn once(&self, attempt: Attempt<'_>) -> Ran {
        if goes_apart(self.tool(), self.place) {
            Box::pin(self.apart(attempt)).await.counted()
        } else {
            self.here(attempt).await.counted()
        }
    }

    /// The same for a tool that waits for nobody.
    pub(super) fn at_once(&self) -> Ran {
        let ended = self.start(self.context, None).map(|decoded| {
            contain::call(|| Finished::waited_for(decoded, None)).map_or_else(Ran::panicked, Ran::finished)
        });
        ended.unwrap_or_else(|ran| *ran).counted()
    }

    /// Runs the tool inside this task or on this thread.
    async fn here(&self, attempt: Attempt<'_>) -> Ran {
        let Attempt { context, permit, countdown } = attempt;
        let decoded = match self.start(context, permit.as_ref()) {
            Ok(decoded) => decoded,
            Err(ran) => return *ran,
        };
        let returned = match decoded.started {
            Started::Done(returned) => Ok(Ok(returned)),
            Started::Later(future) => {
                let (work, left) = (contain::poll(gate::poll_inside(permit.as_ref(), future)), countdown.left());
                match self.place {
                    Place::Thread => thread::wait(self.until_left(work, left)),
                    Place::Task if left.is_none() && self.context.known_cancellation().is_none() => Ok(work.await),
                    Place::Task => Box::pin(self.until_left(work, left)).await,
                }
            }
        };
        match returned {
            Ok(Ok(returned)) => Ran::finished(Finished { returned, notes: decoded.notes, notices: decoded.notices }),
            Ok(Err(panicked)) => Ran::panicked(panicked),
            Err(left) => self.left(left),
        }
    }

    /// Decodes the arguments and starts the tool; one that is synchronous has ended then.
    fn start<'c>(&'c self, context: &'c CallContext, permit: Option<&Permit>) -> Result<Decoded<'c>, Box<Ran>> {
        let (tool, limits) = (self.tool(), &self.inner.limits);
        let text = self.call.arguments.text();
        let decoded = contain::call(|| {
            gate::inside(permit, || {
                args::start(&text, self.call.incomplete, &*tool.callable, &tool.schema, limits, context)
            })
        });
        match decoded {
            Ok(Ok(decoded)) => Ok(decoded),
            Ok(Err(problems)) => Err(Box::new(Ran::misfit(tool.told(self.call), problems))),
            Err(panicked) => Err(Box::new(Ran::panicked(panicked))),
        }
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
                    Ok(Finished::waited_for(decoded, permit.as_ref()))
                })
            })
        };
        let result = match self.place {
            Place::Thread => aside::run(work, countdown.left(), context.known_cancellation()),
            Place::Task => match thread::run_apart(work) {
                Some(result) => {
                    let result = self.until_left(result, countdown.left()).await;
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
