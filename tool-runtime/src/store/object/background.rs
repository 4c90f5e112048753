//! One thread that talks to the network, so that the caller of a store may be any thread: one without a
//! runtime, one of a blocking pool, or, against advice, one that drives a runtime. None can deadlock here, as
//! nothing that a caller holds is needed for the answer.

use std::{
    future::{Future, pending},
    io,
    sync::{
        Mutex, PoisonError,
        mpsc::{Receiver, sync_channel},
    },
    thread,
    time::Duration,
};

use tokio::{
    runtime::{Builder, Handle},
    task::AbortHandle,
    time,
};

use crate::artifact::{StoreError, StoreReason};

/// Work that has begun. Dropped before its answer came, it is given up.
pub(super) struct Pending<T> {
    answer: Receiver<Result<T, StoreError>>,
    task: AbortHandle,
}

impl<T> Pending<T> {
    /// Blocks for at most the limit that [`begin`] was given.
    pub(super) fn wait(self) -> Result<T, StoreError> {
        // No answer: the work panicked.
        self.answer.recv().unwrap_or_else(|_| Err(StoreReason::Failed.into()))
    }

    /// Blocks no longer than `limit`, and gives the work up then.
    pub(super) fn wait_for(self, limit: Duration) -> Result<T, StoreError> {
        self.answer.recv_timeout(limit).unwrap_or_else(|_| Err(StoreReason::Failed.into()))
    }
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Begins work, and gives it up after `limit`.
pub(super) fn begin<T: Send + 'static>(
    work: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    limit: Duration,
) -> Result<Pending<T>, StoreError> {
    let (sender, answer) = sync_channel(1);
    let task = runtime()?.spawn(async move {
        let late = || Err(io::Error::from(io::ErrorKind::TimedOut).into());
        let result = time::timeout(limit, work).await.unwrap_or_else(|_| late());
        // Nobody may want it any more.
        let _ = sender.send(result);
    });
    Ok(Pending { answer, task: task.abort_handle() })
}

/// Does work, and blocks until it is done, for at most `limit`.
pub(super) fn wait<T: Send + 'static>(
    work: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    limit: Duration,
) -> Result<T, StoreError> {
    begin(work, limit)?.wait()
}

/// The runtime of all stores of this process, started by the first one that needs it. It is never shut down:
/// that would have to happen on some thread, and most are not allowed to.
fn runtime() -> Result<Handle, StoreError> {
    static RUNTIME: Mutex<Option<Handle>> = Mutex::new(None);

    let mut running = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(handle) = &*running {
        return Ok(handle.clone());
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    thread::Builder::new().name("tool-runtime-objects".into()).spawn(move || runtime.block_on(pending::<()>()))?;
    *running = Some(handle.clone());
    Ok(handle)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::future::ready;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn any_thread_may_wait() {
        assert_eq!(wait(async { Ok(1) }, LONG).unwrap(), 1);
        let current = Builder::new_current_thread().build().unwrap();
        let waits = async { wait(async { Ok(tokio::task::spawn(ready(2)).await.unwrap()) }, LONG).unwrap() };
        assert_eq!(current.block_on(waits), 2);
    }

    #[test]
    fn what_hangs_is_given_up() {
        let late = wait(pending::<Result<(), _>>(), Duration::from_millis(1)).unwrap_err();
        assert_eq!(late.reason(), StoreReason::Failed);
    }

    #[test]
    fn a_panic_is_an_error_and_the_thread_lives_on() {
        let failed = wait::<()>(async { panic!("at work") }, LONG).unwrap_err();
        assert_eq!(failed.reason(), StoreReason::Failed);
        assert_eq!(wait(async { Ok(3) }, LONG).unwrap(), 3);
    }
}
