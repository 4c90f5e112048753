//! Stops a call from outside.

use std::{
    fmt,
    future::{Future, poll_fn},
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
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
    /// Cancels this one too, but not the other way round.
    parent: Option<CancellationToken>,
    cancelled: AtomicBool,
    /// Who waits, by ascending keys of their own, so that a waiter that goes leaves nothing behind. A waker may own the
    /// task that it wakes, and a task may wait here: none is woken or dropped while this is locked.
    waiting: Mutex<Vec<(u64, Waker)>>,
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, Vec<(u64, Waker)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
        let waiting = mem::take(&mut *self.0.waiting());
        for (_, waker) in waiting {
            waker.wake();
        }
    }

    /// Whether somebody cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.chain().any(|token| token.0.cancelled.load(Ordering::Acquire))
    }

    /// Waits until somebody cancels. Can be dropped at any time.
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + '_ {
        let mut places: Vec<_> = self.chain().map(|token| Place { shared: &token.0, key: None }).collect();
        poll_fn(move |context| {
            let done = places.iter_mut().any(|place| place.poll(context.waker()).is_ready());
            if done { Poll::Ready(()) } else { Poll::Pending }
        })
    }

    /// A token that is cancelled with this one, and can be cancelled alone.
    pub(crate) fn child(&self) -> Self {
        Self(Arc::new(Shared { parent: Some(self.clone()), ..Shared::default() }))
    }

    fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |token| token.0.parent.as_ref())
    }
}

/// One waiter.
struct Place<'a> {
    shared: &'a Shared,
    key: Option<u64>,
}

impl Place<'_> {
    fn poll(&mut self, waker: &Waker) -> Poll<()> {
        let mut waker = waker.clone();
        let mut waiting = self.shared.waiting();
        // Read under the lock: `cancel` sets the flag before it takes the waiters.
        if self.shared.cancelled.load(Ordering::Acquire) {
            return Poll::Ready(());
        }
        if let Some(place) = self.find(&waiting) {
            mem::swap(&mut waiting[place].1, &mut waker);
            drop(waiting);
            drop(waker);
        } else {
            let key = waiting.last().map_or(0, |(last, _)| last + 1);
            waiting.push((key, waker));
            self.key = Some(key);
        }
        Poll::Pending
    }

    fn find(&self, waiting: &[(u64, Waker)]) -> Option<usize> {
        waiting.binary_search_by_key(&self.key?, |(key, _)| *key).ok()
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut waiting = self.shared.waiting();
        let gone = self.find(&waiting).map(|place| waiting.remove(place));
        drop(waiting);
        drop(gone);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::Future,
        pin::{Pin, pin},
        sync::{Arc, Mutex},
        task::{Context, Poll, Wake, Waker},
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
    fn a_waker_may_own_a_task_that_waits_too() {
        /// Its last waker takes it with it, and with it what waits inside.
        struct Task(Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>);
        impl Wake for Task {
            fn wake(self: Arc<Self>) {}
        }
        let token = CancellationToken::new();
        let mut waiting = pin!(token.cancelled());
        {
            let task = Arc::new(Task(Mutex::new(None)));
            let waker = Waker::from(Arc::clone(&task));
            assert!(waiting.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            let copy = token.clone();
            let mut inside: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(async move { copy.cancelled().await });
            assert!(inside.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            if let Ok(mut place) = task.0.lock() {
                *place = Some(inside);
            }
        }
        assert_eq!(token.0.waiting().len(), 2);
        assert!(waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert_eq!(token.0.waiting().len(), 1);
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

    #[test]
    fn a_child_goes_with_its_parent_and_not_the_other_way_round() {
        let parent = CancellationToken::new();
        let (child, other) = (parent.child(), parent.child().child());
        child.cancel();
        assert!(child.is_cancelled() && !parent.is_cancelled() && !other.is_cancelled());
        let mut context = Context::from_waker(Waker::noop());
        let mut waiting = pin!(other.cancelled());
        assert!(waiting.as_mut().poll(&mut context).is_pending());
        parent.cancel();
        assert!(waiting.as_mut().poll(&mut context).is_ready() && other.is_cancelled());
    }
}
