//! Where things run: inside a task, on this thread, or on the blocking pool.

mod pause;

pub(crate) use self::pause::{Countdown, never, pause};

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::Duration,
};

/// Who waits for the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A task: `Registry::call`.
    Task,
    /// A thread: `Registry::call_blocking`.
    Thread,
}

impl Place {
    /// Whether waiting here would block an async runtime.
    pub(crate) fn is_inside_runtime(self) -> bool {
        self == Self::Thread && is_inside_runtime()
    }
}

/// How many blocking tools run; those that timed out count until they end.
#[derive(Clone, Debug)]
pub(crate) struct Blocking {
    running: Arc<AtomicUsize>,
    most: usize,
}

/// One running blocking tool.
#[derive(Debug)]
pub(crate) struct Slot(Arc<AtomicUsize>);

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Blocking {
    pub(crate) fn new(most: usize) -> Self {
        Self { running: Arc::default(), most }
    }

    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// A place among those that run, unless all are taken.
    pub(crate) fn enter(&self) -> Option<Slot> {
        let one_more = |running| (running < self.most).then_some(running + 1);
        self.running.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok()?;
        Some(Slot(Arc::clone(&self.running)))
    }
}

/// Something to poll to its end. What it gives, whoever made it keeps: so the code that polls it need not know its
/// type, and is there once.
pub(crate) type Work<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

pub(crate) type Timer = Work<'static>;

#[cfg(feature = "tokio")]
mod pool {
    pub(super) use tokio::time::Instant;

    use super::{Duration, Future, Pin, Timer};
    use crate::contain;

    pub(super) fn is_inside_runtime() -> bool {
        tokio::runtime::Handle::try_current().is_ok()
    }

    /// Not inside another, nor on a thread that ends: tokio's own part of it is gone before everybody else's.
    pub(super) fn can_wait_here() -> bool {
        tokio::runtime::Handle::try_current().is_err_and(|error| error.is_missing_context())
    }

    /// `None` outside a runtime, and in one that was made without timers.
    pub(super) fn deadline(after: Duration) -> Option<Timer> {
        tokio::runtime::Handle::try_current().ok()?;
        contain::call(|| Box::pin(tokio::time::sleep(after)) as Timer).ok()
    }

    /// The work on the blocking pool; `None` in the end where the runtime shuts down before the work began.
    pub(super) fn run_apart<T: Send + 'static>(
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<impl Future<Output = Option<T>> + Send> {
        let handle = tokio::runtime::Handle::try_current().ok()?;
        let running = handle.spawn_blocking(work);
        Some(async move { running.await.ok() })
    }

    /// Says whether there was a runtime to wait in; nothing was polled where there was none.
    pub(super) fn wait(future: Pin<&mut (dyn Future<Output = ()> + Send)>) -> bool {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return false };
        runtime.block_on(future);
        // What the tool left behind is not waited for.
        runtime.shutdown_background();
        true
    }
}

#[cfg(not(feature = "tokio"))]
mod pool {
    pub(super) use std::time::Instant;

    use super::{Duration, Future, Pin, Timer};

    pub(super) fn is_inside_runtime() -> bool {
        false
    }

    pub(super) fn can_wait_here() -> bool {
        true
    }

    pub(super) fn deadline(_: Duration) -> Option<Timer> {
        None
    }

    pub(super) fn run_apart<T: Send + 'static>(
        _: impl FnOnce() -> T + Send + 'static,
    ) -> Option<impl Future<Output = Option<T>> + Send> {
        None::<std::future::Pending<Option<T>>>
    }

    pub(super) fn wait(_: Pin<&mut (dyn Future<Output = ()> + Send)>) -> bool {
        false
    }
}

/// Whether this thread belongs to an async runtime.
pub(crate) fn is_inside_runtime() -> bool {
    pool::is_inside_runtime()
}

/// Ends after the time, if there is one and the runtime can measure it.
pub(crate) fn deadline(after: Option<Duration>) -> Option<Timer> {
    after.and_then(pool::deadline)
}

/// Starts work on the blocking pool; `None` where there is none. The future gives `None` where the runtime shuts down
/// before the work began.
pub(crate) fn run_apart<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<impl Future<Output = Option<T>> + Send> {
    pool::run_apart(work)
}

/// Whether deadlines can be kept: on a thread of our own, or inside a runtime that has timers.
pub(crate) fn can_time(place: Place) -> bool {
    place == Place::Thread || deadline(Some(Duration::ZERO)).is_some()
}

/// Polls `work` until it is done or the deadline has passed (`None`); then `work` is dropped.
pub(crate) async fn until<F: Future>(work: F, deadline: Option<Timer>) -> Option<F::Output> {
    let mut work = pin!(work);
    let mut deadline = deadline;
    poll_fn(|context| {
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(Some(done));
        }
        if deadline.as_mut().is_some_and(|timer| timer.as_mut().poll(context).is_ready()) {
            return Poll::Ready(None);
        }
        Poll::Pending
    })
    .await
}

/// Runs an asynchronous tool on this thread. With the `tokio` feature it finds a runtime with timers and, where the
/// program's tokio has it, I/O. Where none can be entered, because the thread is inside one or about to end, it takes a
/// thread of its own.
pub(crate) fn wait<F>(future: F) -> F::Output
where
    F: Future<Output: Send> + Send,
{
    let mut output = None;
    wait_for(pin!(async { output = Some(future.await) }));
    output.expect("what was waited for has come to its end, or panicked past here")
}

/// The same for a future that keeps its output to itself.
fn wait_for(future: Pin<&mut (dyn Future<Output = ()> + Send)>) {
    if pool::can_wait_here() {
        return wait_here(future);
    }
    let span = tracing::Span::current();
    let work = || span.in_scope(|| wait_here(future));
    let finished = thread::scope(|scope| scope.spawn(work).join());
    if let Err(payload) = finished {
        std::panic::resume_unwind(payload);
    }
}

fn wait_here(mut future: Pin<&mut (dyn Future<Output = ()> + Send)>) {
    if !pool::wait(future.as_mut()) {
        park_until(future);
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future that needs no runtime; the thread sleeps while the future waits.
pub(crate) fn park_until<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}
