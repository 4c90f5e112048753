//! Runs a tool: on the spot or on the blocking pool, with its deadline, and with panics contained.

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use crate::{
    approve::{Approval, ApprovalRequest},
    args::{self, Decoded},
    aside::{self, Left},
    cancel::CancellationToken,
    contain::{self, Panicked},
    context::CallContext,
    error::Problem,
    notice::Notice,
    outcome::Status,
    policy::Yields,
    registry::{Inner, Installed},
    request::ToolCall,
    resolve::End,
    thread::{self, Place},
    tool::{Returned, Started},
    value::Output,
};

/// What came of the tool itself.
pub(crate) struct Ran {
    pub(crate) status: Status,
    /// The value, or the error's text.
    pub(crate) output: Output,
    pub(crate) end: End,
    pub(crate) problems: Vec<Problem>,
    /// For the receipt.
    pub(crate) notes: Vec<String>,
    /// For the model.
    pub(crate) notices: Vec<Notice>,
    /// The tool could not be stopped.
    pub(crate) still_running: bool,
}

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
        None if goes_apart(run.tool(), run.place) => Box::pin(run.apart()).await,
        None => run.here().await,
    }
}

/// Whether a call of this tool waits for nobody; [`here`] runs it then.
pub(crate) fn runs_here(tool: &Installed, place: Place) -> bool {
    tool.callable.is_sync() && !tool.spec.approval && !goes_apart(tool, place)
}

/// The same as [`run`] for a tool that [`runs_here`].
pub(crate) fn here(run: &Run<'_>) -> Ran {
    if let Some(refused) = run.refusal() {
        return refused;
    }
    let Decoded { started, notes, notices } = match run.start() {
        Ok(decoded) => decoded,
        Err(ran) => return *ran,
    };
    match started {
        Started::Done(returned) => Ran::finished(Finished { returned, notes, notices }),
        // No synchronous tool does that; but it runs all the same.
        Started::Later(future) => match contain::call(|| thread::wait(future)) {
            Ok(returned) => Ran::finished(Finished { returned, notes, notices }),
            Err(panicked) => Ran::panicked(panicked),
        },
    }
}

/// Whether the tool runs on the blocking pool. One of ours does where there is one, and else waits where it is, like
/// a save.
fn goes_apart(tool: &Installed, place: Place) -> bool {
    let spec = &tool.spec;
    spec.blocking || (spec.yields == Yields::Excerpts && place == Place::Task && thread::is_inside_runtime())
}

/// A tool that has come to an end, with what was said about its arguments.
struct Finished {
    returned: Returned,
    notes: Vec<String>,
    notices: Vec<String>,
}

impl Run<'_> {
    fn tool(&self) -> &Installed {
        &self.inner.tools[self.index]
    }

    /// Why the tool is not to be run at all.
    fn refusal(&self) -> Option<Ran> {
        let tool = self.tool();
        if self.place.is_inside_runtime() && !tool.callable.is_sync() {
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
            arguments: self.call.arguments.text().into(),
            session: self.context.session().map(Into::into),
        };
        // Somebody may think about it for hours: that can be cancelled, but has no deadline.
        let asking = self.until_left(contain::poll(async { approver.ask(request).await }), None);
        let answer = match self.place {
            Place::Task => asking.await,
            Place::Thread => thread::wait(asking),
        };
        match answer {
            Ok(Ok(Approval::Yes)) => None,
            Ok(Ok(Approval::No(reason))) => blocked(reason),
            Ok(Err(Panicked(_))) => blocked("the approver panicked".to_owned()),
            Err(left) => Some(self.left(left)),
        }
    }

    /// Runs the tool inside this task or on this thread.
    async fn here(&self) -> Ran {
        let decoded = match self.start() {
            Ok(decoded) => decoded,
            Err(ran) => return *ran,
        };
        let returned = match decoded.started {
            Started::Done(returned) => Ok(Ok(returned)),
            Started::Later(future) => {
                let (work, timeout) = (contain::poll(future), self.tool().spec.timeout);
                match self.place {
                    Place::Thread => thread::wait(self.until_left(work, timeout)),
                    Place::Task if timeout.is_none() && self.context.known_cancellation().is_none() => Ok(work.await),
                    Place::Task => Box::pin(self.until_left(work, timeout)).await,
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
    fn start(&self) -> Result<Decoded<'_>, Box<Ran>> {
        let (tool, limits) = (self.tool(), &self.inner.limits);
        let text = self.call.arguments.text();
        let decoded = contain::call(|| {
            args::start(&text, self.call.incomplete, &*tool.callable, &tool.schema, limits, self.context)
        });
        match decoded {
            Ok(Ok(decoded)) => Ok(decoded),
            Ok(Err(problems)) => Err(Box::new(Ran::misfit(&tool.name, problems))),
            Err(panicked) => Err(Box::new(Ran::panicked(panicked))),
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

    /// Runs the tool where it may block.
    async fn apart(&self) -> Ran {
        let Some(slot) = self.inner.blocking.enter() else {
            let body = format!(
                "{} calls of blocking tools are running already; try again when one has finished",
                self.inner.blocking.most()
            );
            return Ran::stopped(Status::Busy, "Busy, not run".into(), body);
        };
        let inner = Arc::clone(self.inner);
        let (index, context) = (self.index, self.context.clone());
        let (text, incomplete) = (self.call.arguments.text().into_owned(), self.call.incomplete);
        let span = tracing::Span::current();
        let work = move || {
            let _slot = slot;
            // What the tool traces belongs to its call, on whatever thread.
            let _inside = span.enter();
            let tool = &inner.tools[index];
            contain::call(|| {
                let started = args::start(&text, incomplete, &*tool.callable, &tool.schema, &inner.limits, &context)?;
                let returned = match started.started {
                    Started::Done(returned) => returned,
                    // Not written by the macro, which refuses `blocking` on `async fn`; but it runs all the same.
                    Started::Later(future) => thread::wait(future),
                };
                Ok(Finished { returned, notes: started.notes, notices: started.notices })
            })
        };
        let result = match self.place {
            Place::Thread => aside::run(work, self.tool().spec.timeout, self.context.known_cancellation()),
            Place::Task => match thread::run_apart(work) {
                Some(result) => {
                    let result = self.until_left(result, self.tool().spec.timeout).await;
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
                self.context.cancellation().cancel();
                Ran { still_running: true, ..self.left(left) }
            }
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
            Left::TimedOut => {
                let after = self.tool().spec.timeout.unwrap_or_default();
                let body = format!("`{name}` did not finish in time; try a smaller request");
                Ran::stopped(Status::TimedOut, format!("Timed out after {}", seconds(after)), body)
            }
        }
    }
}

/// `30 s`, `1.5 s`.
fn seconds(duration: Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}

impl Ran {
    fn new(status: Status, output: Output, end: End) -> Self {
        Self { status, output, end, problems: Vec::new(), notes: Vec::new(), notices: Vec::new(), still_running: false }
    }

    fn finished(finished: Finished) -> Self {
        let Finished { returned, notes, notices } = finished;
        let (status, output) = match &returned.output {
            Ok(output) => (Status::Ok, output.clone()),
            Err(error) => (Status::ToolError, Output::error(&error.to_string())),
        };
        let notices = notices.into_iter().map(Notice::new).collect();
        Self { notes, notices, ..Self::new(status, output, End::Returned(returned)) }
    }

    pub(crate) fn stopped(status: Status, title: String, body: String) -> Self {
        Self::new(status, Output::error(&body), End::Stopped { title, body })
    }

    /// Not run; the text is ours, quotes nobody and says why.
    pub(crate) fn refused(text: String, note: &str) -> Self {
        Self { notes: vec![note.to_owned()], ..Self::new(Status::Blocked, Output::error(&text), End::Own(text)) }
    }

    pub(crate) fn panicked(Panicked(message): Panicked) -> Self {
        Self::stopped(Status::Panicked, "Tool panicked".into(), message)
    }

    fn misfit(tool: &str, problems: Vec<Problem>) -> Self {
        let message = args::message(tool, &problems);
        let output = Output::error(&message.to_string());
        Self { problems, ..Self::new(Status::InvalidArguments, output, End::Message(message)) }
    }

    /// The tool was not run, and a text of ours says why.
    pub(crate) fn told(status: Status, text: String) -> Self {
        Self::new(status, Output::error(&text), End::Own(text))
    }
}
