//! Runs a tool once: on the spot or on the blocking pool, with panics contained.

use std::sync::Arc;

use super::{
    Run,
    ran::{Finished, Ran},
};
use crate::{
    args,
    aside::{self, Left},
    contain,
    context::CallContext,
    gate::{self, Permit},
    outcome::Status,
    policy::Yields,
    registry::Inner,
    thread::{self, Countdown, Place},
    tool::Started,
};

/// What one attempt runs with.
pub(super) struct Attempt<'a> {
    pub(super) context: &'a CallContext,
    /// Given back when the tool has ended, and not before.
    pub(super) permit: Option<Permit>,
    pub(super) countdown: Countdown,
}

impl Run<'_> {
    /// Says in `attempts` whether the tool was begun.
    pub(super) async fn once(&self, attempt: Attempt<'_>) -> Ran {
        let ran = if self.goes_apart() { self.apart(attempt).await } else { self.here(attempt).await };
        let has_begun = !matches!(ran.status, Status::Busy | Status::InvalidArguments | Status::Blocked);
        Ran { attempts: u32::from(has_begun), ..ran }
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
        let tool = self.tool();
        let text = self.call.arguments.text();
        let decoded = contain::call(|| {
            let Inner { limits, .. } = &**self.inner;
            gate::inside(permit.as_ref(), || {
                args::start(&text, self.call.incomplete, &*tool.callable, &tool.schema, limits, context)
            })
        });
        let decoded = match decoded {
            Ok(Ok(decoded)) => decoded,
            Ok(Err(problems)) => return Ran::misfit(&tool.name, problems),
            Err(panicked) => return Ran::panicked(panicked),
        };
        let returned = match decoded.started {
            Started::Done(returned) => Ok(Ok(returned)),
            Started::Later(future) => {
                let held = gate::poll_inside(permit.as_ref(), future);
                self.wait(contain::poll(held), countdown.left()).await
            }
        };
        match returned {
            Ok(Ok(returned)) => Ran::finished(Finished { returned, notes: decoded.notes, notices: decoded.notices }),
            Ok(Err(panicked)) => Ran::panicked(panicked),
            Err(left) => self.left(left),
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
                    let started = args::start(&text, incomplete, callable, schema, &inner.limits, &its_context)?;
                    let returned = match started.started {
                        Started::Done(returned) => returned,
                        // Not written by the macro, which refuses `blocking` on `async fn`; but it runs all the same.
                        Started::Later(future) => thread::wait(gate::poll_inside(permit.as_ref(), future)),
                    };
                    Ok(Finished { returned, notes: started.notes, notices: started.notices })
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
            Ok(Ok(Err(problems))) => Ran::misfit(&self.tool().name, problems),
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
