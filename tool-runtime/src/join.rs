//! Many futures in one task, each polled only when it was woken.

use std::{
    collections::VecDeque,
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

type Child<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The futures that have been started and have not ended.
pub(crate) struct Join<T> {
    children: Vec<Option<(Child<T>, Arc<Bell>)>>,
    door: Arc<Door>,
}

/// Where those that were woken wait to be polled.
#[derive(Default)]
struct Door(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    indexes: VecDeque<usize>,
    /// Whom to wake when somebody comes.
    task: Option<Waker>,
}

/// Wakes one child.
struct Bell {
    index: usize,
    /// It waits at the door already.
    rung: AtomicBool,
    door: Arc<Door>,
}

impl Door {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        if self.rung.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut waiting = self.door.waiting();
        waiting.indexes.push_back(self.index);
        let task = waiting.task.take();
        drop(waiting);
        if let Some(task) = task {
            task.wake();
        }
    }
}

impl<T> Join<T> {
    /// Room for futures numbered from 0 to below `count`.
    pub(crate) fn new(count: usize) -> Self {
        Self { children: (0..count).map(|_| None).collect(), door: Arc::default() }
    }

    pub(crate) fn start(&mut self, index: usize, child: Child<T>) {
        let bell = Arc::new(Bell { index, rung: AtomicBool::new(false), door: Arc::clone(&self.door) });
        self.children[index] = Some((child, Arc::clone(&bell)));
        bell.wake();
    }

    /// The next child to poll; where there is none, `task` is woken when there is one.
    pub(crate) fn next(&self, task: &Waker) -> Option<usize> {
        let mut waiting = self.door.waiting();
        let next = waiting.indexes.pop_front();
        let old = if next.is_none() { waiting.task.replace(task.clone()) } else { None };
        drop(waiting);
        // With the task that it may own.
        drop(old);
        next
    }

    /// Polls one child, and lets go of it when it has ended.
    pub(crate) fn poll(&mut self, index: usize) -> Poll<T> {
        let Some((child, bell)) = &mut self.children[index] else { return Poll::Pending };
        // Before the poll: what happens during it must ring again.
        bell.rung.store(false, Ordering::Release);
        let waker = Waker::from(Arc::clone(bell));
        let polled = child.as_mut().poll(&mut Context::from_waker(&waker));
        if polled.is_ready() {
            self.children[index] = None;
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        sync::atomic::AtomicUsize,
        task::{Poll, Waker},
        thread,
        time::Duration,
    };

    use super::*;
    use crate::thread::park_until;

    fn drive<T>(mut join: Join<T>, mut missing: usize) -> Vec<T> {
        let mut done = Vec::new();
        park_until(poll_fn(|context| {
            while let Some(index) = join.next(context.waker()) {
                if let Poll::Ready(value) = join.poll(index) {
                    done.push(value);
                    missing -= 1;
                }
            }
            if missing == 0 { Poll::Ready(()) } else { Poll::Pending }
        }));
        done
    }

    #[test]
    fn children_woken_from_other_threads_all_end() {
        let mut join = Join::new(50);
        for index in 0..50 {
            let mut left = 20;
            let child = poll_fn(move |context| {
                if left == 0 {
                    return Poll::Ready(index);
                }
                left -= 1;
                let waker = context.waker().clone();
                thread::spawn(move || {
                    if index % 3 == 0 {
                        thread::sleep(Duration::from_micros(50));
                    }
                    waker.wake();
                });
                Poll::Pending
            });
            join.start(index, Box::pin(child));
        }
        let mut done = drive(join, 50);
        done.sort_unstable();
        assert_eq!(done, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn only_those_that_were_woken_are_polled() {
        static POLLS: AtomicUsize = AtomicUsize::new(0);
        let mut join = Join::<()>::new(100);
        for index in 0..100 {
            let child = poll_fn(|_| {
                POLLS.fetch_add(1, Ordering::Relaxed);
                Poll::Pending
            });
            join.start(index, Box::pin(child));
        }
        for _ in 0..3 {
            while let Some(index) = join.next(Waker::noop()) {
                assert!(join.poll(index).is_pending());
            }
        }
        assert_eq!(POLLS.load(Ordering::Relaxed), 100);
    }
}
