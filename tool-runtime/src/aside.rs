//! Runs work on a thread of its own, and leaves it there when time is up or somebody cancels.

use std::{
    future::Future,
    pin::pin,
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError, SyncSender},
    },
    task::{Context, Wake, Waker},
    thread,
    time::{Duration, Instant},
};

use crate::cancel::CancellationToken;

/// Why work was left before it came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    TimedOut,
    Cancelled,
    /// It was never begun: the system gave no thread, or the runtime shut down.
    NoThread,
}

enum Event<T> {
    Done(T),
    Cancelled,
}

/// Tells the waiting thread that somebody cancelled.
struct Bell<T>(SyncSender<Event<T>>);

impl<T: Send> Wake for Bell<T> {
    fn wake(self: Arc<Self>) {
        // Where nobody waits any more, or the end is there already, it comes too late.
        let _ = self.0.try_send(Event::Cancelled);
    }
}

/// Runs work and waits for it. Only a deadline or a token takes a thread of its own; work that is left goes on there.
pub(crate) fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    deadline: Option<Duration>,
    token: Option<&CancellationToken>,
) -> Result<T, Left> {
    if deadline.is_none() && token.is_none() {
        return Ok(work());
    }
    let (events, happened) = mpsc::sync_channel(2);
    let done = events.clone();
    let spawned = thread::Builder::new().name("tool".into()).spawn(move || {
        // Nobody may be there to take the result any more.
        let _ = done.send(Event::Done(work()));
    });
    if spawned.is_err() {
        return Err(Left::NoThread);
    }
    let began = Instant::now();
    let bell = Waker::from(Arc::new(Bell(events)));
    let mut cancelled = token.map(|token| Box::pin(token.cancelled()));
    if let Some(cancelled) = &mut cancelled {
        if pin!(cancelled).poll(&mut Context::from_waker(&bell)).is_ready() {
            return Err(Left::Cancelled);
        }
    }
    let event = match deadline {
        Some(deadline) => happened.recv_timeout(deadline.saturating_sub(began.elapsed())),
        None => happened.recv().map_err(|_| RecvTimeoutError::Disconnected),
    };
    match event {
        Ok(Event::Done(value)) => Ok(value),
        Ok(Event::Cancelled) => Err(Left::Cancelled),
        Err(RecvTimeoutError::Timeout) => Err(Left::TimedOut),
        // Never: the bell has the channel too.
        Err(RecvTimeoutError::Disconnected) => Err(Left::NoThread),
    }
}

#[cfg(test)]
mod tests {
    use std::{thread, time::Duration};

    use super::{Left, run};
    use crate::cancel::CancellationToken;

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn work_ends_or_is_left() {
        let token = CancellationToken::new();
        assert_eq!(run(|| 1, None, None), Ok(1));
        assert_eq!(run(|| 1, Some(LONG), Some(&token)), Ok(1));
        assert_eq!(run(|| thread::sleep(LONG), Some(Duration::from_millis(5)), None), Err(Left::TimedOut));
        let other = token.clone();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            other.cancel();
        });
        assert_eq!(run(|| thread::sleep(LONG), None, Some(&token)), Err(Left::Cancelled));
        assert_eq!(run(|| thread::sleep(LONG), Some(LONG), Some(&token)), Err(Left::Cancelled));
    }
}
