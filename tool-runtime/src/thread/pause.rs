//! Time that passes: what is left of a timeout, and pauses.

use std::{
    future::{Future, pending},
    mem,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker},
    thread,
    time::Duration,
};

use super::{Timer, deadline, pool};

/// The time that is left of a timeout; by the runtime's clock, so that tests can pause it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Countdown(Option<(pool::Instant, Duration)>);

impl Countdown {
    /// Begins now; without a timeout there is no end.
    pub(crate) fn of(timeout: Option<Duration>) -> Self {
        Self(timeout.map(|timeout| (pool::Instant::now(), timeout)))
    }

    /// `None` without an end.
    pub(crate) fn left(self) -> Option<Duration> {
        self.0.map(|(began, timeout)| timeout.saturating_sub(began.elapsed()))
    }

    /// Ends when nothing is left, by the timers of the runtime that polls it; never where there is no end, or no timers.
    pub(crate) fn timer(self) -> Timer {
        Box::pin(async move {
            match deadline(self.left()) {
                Some(timer) => timer.await,
                None => pending().await,
            }
        })
    }
}

/// Never ends; costs nothing. In place of `None`, whose second half may be anything: the optimiser makes it the one timer
/// that there is, and then a program holds that timer for `None` too.
pub(crate) fn never() -> Timer {
    Box::pin(pending())
}

/// Waits, by the runtime's timers; where there are none, until a thread that sleeps has woken up.
pub(crate) async fn pause(time: Duration) {
    match deadline(Some(time)) {
        Some(timer) => timer.await,
        None => Nap::of(time).await,
    }
}

/// A sleep on a thread of its own, for executors without timers.
struct Nap {
    time: Duration,
    /// Over, and whom to tell.
    state: Option<Arc<Mutex<(bool, Waker)>>>,
}

impl Nap {
    fn of(time: Duration) -> Self {
        Self { time, state: None }
    }
}

impl Future for Nap {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if let Some(state) = &self.state {
            let waker = context.waker().clone();
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            let (is_over, old) = (state.0, mem::replace(&mut state.1, waker));
            drop(state);
            drop(old);
            return if is_over { Poll::Ready(()) } else { Poll::Pending };
        }
        let (time, state) = (self.time, Arc::new(Mutex::new((false, context.waker().clone()))));
        let sleeper = Arc::clone(&state);
        let slept = thread::Builder::new().name("pause".into()).spawn(move || {
            thread::sleep(time);
            let mut state = sleeper.lock().unwrap_or_else(PoisonError::into_inner);
            let waker = mem::replace(&mut state.1, Waker::noop().clone());
            state.0 = true;
            // It may poll on the spot.
            drop(state);
            waker.wake();
        });
        if slept.is_err() {
            // No thread is left: rather hold up this one than the server that asked for the pause.
            thread::sleep(time);
            return Poll::Ready(());
        }
        self.state = Some(state);
        Poll::Pending
    }
}
