//! What running any tool takes: its arguments are decoded, it is started and waited for, and its panics are contained.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
};

use super::{
    Run,
    ran::{Finished, Ran},
};
use crate::{
    args::{self, Decoded},
    aside::Left,
    callable::Started,
    cancel::CancellationToken,
    contain::{self, Panicked},
    context::CallContext,
    outcome::Status,
    registry::Installed,
    thread::{self, Place, Timer, Work},
};

impl Run<'_> {
    pub(super) fn tool(&self) -> &Installed {
        &self.inner.tools[self.index]
    }

    /// Why the tool is not to be run at all.
    pub(super) fn refusal(&self) -> Option<Ran> {
        if !self.tool().callable.is_sync() && self.place.is_inside_runtime() {
            // In `spawn_blocking` one could wait; but tokio's public interface is the same there as on a worker.
            let body = "an asynchronous tool can't be waited for inside an async runtime; use `Registry::call`";
            return Some(Ran::stopped(Status::Blocked, "Not run".into(), body.into()));
        }
        self.context.known_cancellation().is_some_and(CancellationToken::is_cancelled).then(|| self.cancelled())
    }

    pub(super) fn cancelled(&self) -> Ran {
        let body = format!("the call of `{}` was cancelled", self.tool().name);
        Ran::stopped(Status::Cancelled, "Cancelled".into(), body)
    }

    /// Runs a tool that asks for no more than that.
    pub(super) async fn plain(&self) -> Ran {
        if let Some(refused) = self.refusal() {
            return refused;
        }
        let ran = match self.start(self.context) {
            // Without an end of its time it is left for one reason only.
            Ok(decoded) => self.ended(decoded, thread::never()).await.map_or_else(|_| self.cancelled(), Ran::ended),
            Err(ran) => *ran,
        };
        ran.counted()
    }

    /// The same for a tool that waits for nobody, and may run.
    pub(super) fn at_once(&self) -> Ran {
        let ran = match self.start(self.context) {
            Ok(decoded) => Ran::ended(contain::call(|| Finished::waited_for(decoded))),
            Err(ran) => *ran,
        };
        ran.counted()
    }

    /// Decodes the arguments and starts the tool; one that is synchronous has ended then.
    pub(super) fn start<'c>(&'c self, context: &'c CallContext) -> Result<Decoded<'c>, Box<Ran>> {
        let (tool, limits) = (self.tool(), &self.inner.limits);
        let text = self.call.arguments.text();
        let decoded =
            contain::call(|| args::start(&text, self.call.incomplete, &*tool.callable, &tool.schema, limits, context));
        match decoded {
            Ok(Ok(decoded)) => Ok(decoded),
            Ok(Err(problems)) => Err(Box::new(Ran::misfit(tool.told(self.call), problems))),
            Err(panicked) => Err(Box::new(Ran::panicked(panicked))),
        }
    }

    /// Waits for a tool that has started, inside this task or on this thread.
    pub(super) async fn ended(&self, decoded: Decoded<'_>, timer: Timer) -> Result<Result<Finished, Panicked>, Left> {
        let Decoded { started, notes, notices } = decoded;
        let returned = match started {
            Started::Done(returned) => Ok(returned),
            Started::Later(future) => {
                let work = contain::poll(future);
                let has_end = self.tool().spec.timeout.is_some() || self.context.known_cancellation().is_some();
                if self.place == Place::Task && !has_end {
                    work.await
                } else {
                    Box::pin(self.wait(work, timer)).await?
                }
            }
        };
        Ok(returned.map(|returned| Finished { returned, notes, notices }))
    }

    /// Waits, wherever the call is made, until `work` is done, its time is up, or somebody cancels.
    pub(super) async fn wait<F>(&self, work: F, timer: Timer) -> Result<F::Output, Left>
    where
        F: Future<Output: Send> + Send,
    {
        let mut output = None;
        let watched = self.until_left(Box::pin(async { output = Some(work.await) }), timer);
        match self.place {
            Place::Task => watched.await?,
            Place::Thread => thread::wait(watched)?,
        }
        Ok(output.expect("work that was not left is done"))
    }

    /// The same inside a task. `work` is dropped with the future.
    async fn until_left(&self, mut work: Work<'_>, mut timer: Timer) -> Result<(), Left> {
        let mut cancelled = pin!(self.context.known_cancellation().map(CancellationToken::cancelled));
        poll_fn(move |context| {
            if work.as_mut().poll(context).is_ready() {
                return Poll::Ready(Ok(()));
            }
            if cancelled.as_mut().as_pin_mut().is_some_and(|token| token.poll(context).is_ready()) {
                return Poll::Ready(Err(Left::Cancelled));
            }
            timer.as_mut().poll(context).map(|()| Err(Left::TimedOut))
        })
        .await
    }
}
