//! Runs a tool that asks for more than that: asks whether it may, waits for its turn, tries again where that helps,
//! runs it apart; with its deadline.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use super::{Run, as_read, once::Attempt, ran::Ran};
use crate::{
    approve::{Approval, ApprovalRequest},
    aside::Left,
    contain::{self, Panicked},
    outcome::Status,
    thread,
};

/// The stage, as tools bring it along.
pub(crate) struct Whole(for<'a> fn(Run<'a>) -> Pin<Box<dyn Future<Output = Ran> + Send + 'a>>);

/// What every setting that [asks for more](super::settings) refers to, and nothing else does.
pub(super) static STAGE: Whole = Whole(|run| Box::pin(run.whole()));

impl Whole {
    /// Asks, decodes the arguments and runs the tool; whatever happens, something comes back.
    pub(super) fn run<'a>(&self, run: Run<'a>) -> Pin<Box<dyn Future<Output = Ran> + Send + 'a>> {
        (self.0)(run)
    }
}

impl Run<'_> {
    /// What few calls wait for is boxed: a future is as large as the largest of what it may wait for.
    async fn whole(self) -> Ran {
        let tool = self.tool();
        let mut refused = self.refusal().or_else(|| self.untimed());
        if refused.is_none() && tool.spec.approval {
            refused = Box::pin(self.disapproval()).await;
        }
        let may_wait = tool.gate.is_some() || tool.spec.retries > 0;
        match refused {
            Some(refused) => refused,
            None if may_wait => Box::pin(self.attempts()).await,
            None => self.once(Attempt::only(&self)).await,
        }
    }

    fn untimed(&self) -> Option<Ran> {
        if self.tool().spec.timeout.is_none() || thread::can_time(self.place) {
            return None;
        }
        let body = "a tool with a `timeout` needs a tokio runtime with its timers enabled; \
                    use `Registry::call_blocking` without one";
        Some(Ran::stopped(Status::Blocked, "Not run".into(), body.into()))
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
        match self.wait(contain::poll(async { approver.ask(request).await }), thread::never()).await {
            Ok(Ok(Approval::Yes)) => None,
            Ok(Ok(Approval::No(reason))) => blocked(reason),
            Ok(Err(Panicked(_))) => blocked("the approver panicked".to_owned()),
            Err(left) => Some(self.left(left)),
        }
    }

    pub(super) fn left(&self, left: Left) -> Ran {
        let name = &self.tool().name;
        match left {
            Left::NoThread => {
                Ran::stopped(Status::Busy, "Busy, not run".into(), format!("there is no thread to run `{name}` on"))
            }
            Left::Cancelled => self.cancelled(),
            Left::TimedOut => self.timed_out(format!("`{name}` did not finish in time; try a smaller request")),
        }
    }

    pub(super) fn timed_out(&self, body: String) -> Ran {
        let after = self.tool().spec.timeout.unwrap_or_default();
        Ran::stopped(Status::TimedOut, format!("Timed out after {}", seconds(after)), body)
    }
}

/// `30 s`, `1.5 s`.
fn seconds(duration: Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}
