//! Runs a tool: asks whether it may, waits for its turn, and tries again where that helps; with its deadline.

mod attempts;
mod once;
mod ran;
mod retry;

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use self::once::Attempt;
pub(crate) use self::ran::Ran;
use crate::{
    approve::{Approval, ApprovalRequest},
    args::{self, Limits},
    aside::Left,
    cancel::CancellationToken,
    contain::{self, Panicked},
    context::CallContext,
    outcome::Status,
    registry::{Inner, Installed},
    request::{Arguments, ToolCall},
    thread::{self, Place},
};

/// One call about to run.
pub(crate) struct Run<'a> {
    pub(crate) inner: &'a Arc<Inner>,
    pub(crate) index: usize,
    pub(crate) call: &'a ToolCall,
    pub(crate) context: &'a CallContext,
    pub(crate) place: Place,
}

/// Asks, decodes the arguments and runs the tool; whatever happens, something comes back. What few calls wait for is
/// boxed: a future is as large as the largest of what it may wait for.
pub(crate) async fn run(run: Run<'_>) -> Ran {
    let mut refused = run.refusal();
    if refused.is_none() && run.tool().spec.approval {
        refused = Box::pin(run.disapproval()).await;
    }
    match refused {
        Some(refused) => refused,
        None if may_wait(run.tool()) => Box::pin(run.attempts()).await,
        None => run.once(Attempt::only(&run)).await,
    }
}

/// Whether a call of this tool may have to wait for its turn, or between two attempts.
fn may_wait(tool: &Installed) -> bool {
    tool.gate.is_some() || tool.spec.retries > 0
}

/// Whether a call of this tool waits for nobody; [`here`] runs it then.
pub(crate) fn runs_here(tool: &Installed, place: Place) -> bool {
    tool.callable.is_sync() && !tool.spec.approval && !may_wait(tool) && !once::goes_apart(tool, place)
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

impl Run<'_> {
    fn tool(&self) -> &Installed {
        &self.inner.tools[self.index]
    }

    /// Why the tool is not to be run at all.
    fn refusal(&self) -> Option<Ran> {
        let tool = self.tool();
        if self.place.is_inside_runtime() && !tool.callable.is_sync() {
            // In `spawn_blocking` one could wait; but tokio's public interface is the same there as on a worker.
            let body = "an asynchronous tool can't be waited for inside an async runtime; use `Registry::call`";
            return Some(Ran::stopped(Status::Blocked, "Not run".into(), body.into()));
        }
        if self.context.known_cancellation().is_some_and(CancellationToken::is_cancelled) {
            return Some(self.left(Left::Cancelled));
        }
        if tool.spec.timeout.is_some() && !thread::can_time(self.place) {
            let body = "a tool with a `timeout` needs a tokio runtime with its timers enabled; \
                        use `Registry::call_blocking` without one";
            return Some(Ran::stopped(Status::Blocked, "Not run".into(), body.into()));
        }
        None
    }

    async fn disapproval(&self) -> Option<Ran> {
        let blocked = |reason| Some(Ran::stopped(Status::Blocked, "Not approved, and not run".into(), reason));
        let Some(approver) = &self.inner.approver else {
            return blocked("there is nobody to approve it".to_owned());
        };
        let request = ApprovalRequest {
            call_id: Arc::clone(&self.call.id),
            tool: Arc::clone(&self.tool().name),
            // Where they don't fit, which is told after approval, as they came.
            arguments: as_read(self.tool(), &self.call.arguments, self.call.incomplete, &self.inner.limits)
                .map_or_else(|| self.call.arguments.text().into(), Into::into),
            session: self.context.session().map(Into::into),
        };
        // Somebody may think about it for hours: that can be cancelled, but has no deadline.
        match self.wait(contain::poll(async { approver.ask(request).await }), None).await {
            Ok(Ok(Approval::Yes)) => None,
            Ok(Ok(Approval::No(reason))) => blocked(reason),
            Ok(Err(Panicked(_))) => blocked("the approver panicked".to_owned()),
            Err(left) => Some(self.left(left)),
        }
    }

    /// Polls `work` until it is done, the deadline has passed, or somebody cancels. `work` is dropped with the future.
    async fn until_left<F: Future>(&self, work: F, timeout: Option<Duration>) -> Result<F::Output, Left> {
        let mut work = pin!(work);
        let mut cancelled: Option<Pin<Box<dyn Future<Output = ()> + Send + '_>>> =
            self.context.known_cancellation().map(|token| Box::pin(token.cancelled()) as _);
        let stoppable = poll_fn(move |context| {
            if let Poll::Ready(done) = work.as_mut().poll(context) {
                return Poll::Ready(Ok(done));
            }
            if cancelled.as_mut().is_some_and(|token| token.as_mut().poll(context).is_ready()) {
                return Poll::Ready(Err(Left::Cancelled));
            }
            Poll::Pending
        });
        thread::until(stoppable, thread::deadline(timeout)).await.unwrap_or(Err(Left::TimedOut))
    }

    /// The same, wherever the call is made: on a thread the thread waits.
    async fn wait<F>(&self, work: F, timeout: Option<Duration>) -> Result<F::Output, Left>
    where
        F: Future<Output: Send> + Send,
    {
        let watched = self.until_left(work, timeout);
        match self.place {
            Place::Task => watched.await,
            Place::Thread => thread::wait(watched),
        }
    }

    fn left(&self, left: Left) -> Ran {
        let name = &self.tool().name;
        match left {
            Left::NoThread => {
                Ran::stopped(Status::Busy, "Busy, not run".into(), format!("there is no thread to run `{name}` on"))
            }
            Left::Cancelled => {
                Ran::stopped(Status::Cancelled, "Cancelled".into(), format!("the call of `{name}` was cancelled"))
            }
            Left::TimedOut => self.timed_out(format!("`{name}` did not finish in time; try a smaller request")),
        }
    }

    fn timed_out(&self, body: String) -> Ran {
        let after = self.tool().spec.timeout.unwrap_or_default();
        Ran::stopped(Status::TimedOut, format!("Timed out after {}", seconds(after)), body)
    }
}

/// `30 s`, `1.5 s`.
fn seconds(duration: Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}
