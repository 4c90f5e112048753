//! Where a call runs, and how its slow part gets off the async runtime's threads.

use std::{
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

use crate::present::{self, Job, Presented, Saves};

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

#[cfg(feature = "tokio")]
fn is_inside_runtime() -> bool {
    tokio::runtime::Handle::try_current().is_ok()
}

#[cfg(not(feature = "tokio"))]
fn is_inside_runtime() -> bool {
    false
}

/// Presents a result: at once, or on the blocking pool where a store has to be waited for.
pub(crate) async fn present(job: Job, place: Place) -> Presented {
    #[cfg(feature = "tokio")]
    if place == Place::Task && is_inside_runtime() {
        if let Ok(presented) = present::present(&job, Saves::OnlyQuick) {
            return presented;
        }
        let job = Arc::new(job);
        let worker = Arc::clone(&job);
        return match tokio::task::spawn_blocking(move || present::present_waiting(&worker, Saves::Any)).await {
            Ok(presented) => presented,
            // The runtime is shutting down: the text is still cut, and says that it was not saved.
            Err(_) => present::present_waiting(&job, Saves::None),
        };
    }
    let _ = place;
    present::present_waiting(&job, Saves::Any)
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs an asynchronous tool on this thread. With the `tokio` feature it finds a runtime with timers and, where the
/// program's tokio has it, I/O.
pub(crate) fn wait<F: Future>(future: F) -> F::Output {
    #[cfg(feature = "tokio")]
    if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
        return runtime.block_on(future);
    }
    park_until(future)
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
