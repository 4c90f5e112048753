//! Stops a call from outside.

use std::{
    fmt,
    future::{Future, poll_fn},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Poll, Waker},
};

/// Cancels the calls that it was given to. Clones are the same token.
///
/// ```
/// let token = tool_runtime::CancellationToken::new();
/// let copy = token.clone();
/// assert!(!copy.is_cancelled());
/// token.cancel();
/// assert!(copy.is_cancelled());
/// ```
#[derive(Clone, Default)]
pub struct CancellationToken(Arc<Shared>);

#[derive(Default)]
struct Shared {
    cancelled: AtomicBool,
    /// Who waits, each under a key of its own so that a waiter that goes leaves nothing behind.
    waiting: Mutex<Vec<(u64, Waker)>>,
}

impl fmt::Debug for CancellationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancellationToken").field("cancelled", &self.is_cancelled()).finish()
    }
}

impl CancellationToken {
    /// A token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels, for good.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Release);
        let waiting = std::mem::take(&mut *self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        for (_, waker) in waiting {
            waker.wake();
        }
    }

    /// Whether somebody cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }

    /// Waits until somebody cancels. Can be dropped at any time.
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + '_ {
        let mut place = Place { shared: &self.0, key: None };
        poll_fn(move |context| place.poll(context.waker()))
    }
}

/// One waiter.
struct Place<'a> {
    shared: &'a Shared,
    key: Option<u64>,
}

impl Place<'_> {
    fn poll(&mut self, waker: &Waker) -> Poll<()> {
        let mut waiting = self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        // Read under the lock: `cancel` sets the flag before it takes the waiters.
        if self.shared.cancelled.load(Ordering::Acquire) {
            return Poll::Ready(());
        }
        match self.key.and_then(|key| waiting.iter_mut().find(|(known, _)| *known == key)) {
            Some((_, known)) => known.clone_from(waker),
            None => {
                let key = waiting.last().map_or(0, |(last, _)| last + 1);
                waiting.push((key, waker.clone()));
                self.key = Some(key);
            }
        }
        Poll::Pending
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner).retain(|(known, _)| *known != key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::Future,
        pin::pin,
        task::{Context, Poll, Waker},
    };

    use super::CancellationToken;

    #[test]
    fn a_waiter_that_goes_leaves_nothing_behind() {
        let token = CancellationToken::new();
        let mut context = Context::from_waker(Waker::noop());
        {
            let mut first = pin!(token.cancelled());
            let mut second = pin!(token.cancelled());
            assert!(first.as_mut().poll(&mut context).is_pending());
            assert!(second.as_mut().poll(&mut context).is_pending());
            assert!(first.as_mut().poll(&mut context).is_pending());
            assert_eq!(token.0.waiting.lock().map(|waiting| waiting.len()).ok(), Some(2));
        }
        assert_eq!(token.0.waiting.lock().map(|waiting| waiting.len()).ok(), Some(0));
    }

    #[test]
    fn cancelling_wakes_and_stays() {
        let token = CancellationToken::new();
        let mut context = Context::from_waker(Waker::noop());
        let mut waiting = pin!(token.cancelled());
        assert!(waiting.as_mut().poll(&mut context).is_pending());
        token.clone().cancel();
        assert_eq!(waiting.as_mut().poll(&mut context), Poll::Ready(()));
        assert_eq!(pin!(token.cancelled()).poll(&mut context), Poll::Ready(()));
    }
}
