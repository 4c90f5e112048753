//! Runs the user's code so that its panics stay here.

use std::{
    any::Any,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    task::Poll,
};

/// What a panic said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Panicked(pub(crate) String);

/// Runs `code`.
pub(crate) fn call<T>(code: impl FnOnce() -> T) -> Result<T, Panicked> {
    // Unwind safety: after a panic nothing of what `code` borrowed is used again, but for locks and caches of the
    // user's own, which have to cope with a panic anyway.
    catch_unwind(AssertUnwindSafe(code)).map_err(|payload| Panicked(text(payload)))
}

/// Polls `future` to its end. It is dropped with care too, also where this is dropped before the end.
pub(crate) async fn poll<F: Future>(future: F) -> Result<F::Output, Panicked> {
    let future = pin!(Some(future));
    let mut held = Held(future);
    let ended = poll_fn(|context| {
        let Some(future) = held.0.as_mut().as_pin_mut() else { return Poll::Pending };
        match call(|| future.poll(context)) {
            Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(panicked) => Poll::Ready(Err(panicked)),
        }
    })
    .await;
    drop(held);
    ended
}

/// Drops the future that it holds, whatever that future's own `Drop` does.
struct Held<'a, F>(Pin<&'a mut Option<F>>);

impl<F> Drop for Held<'_, F> {
    fn drop(&mut self) {
        // What a future does after its end changes nothing about the end.
        let _ = call(|| self.0.set(None));
    }
}

/// The payload's text. The payload is dropped with care: its own `Drop` may panic too.
fn text(payload: Box<dyn Any + Send>) -> String {
    let text = if let Some(text) = payload.downcast_ref::<&'static str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "panicked with a value that is no text".to_owned()
    };
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
    text
}

#[cfg(test)]
#[allow(clippy::panic)]
mod tests {
    use std::{
        future::{Future, pending},
        panic::panic_any,
        pin::pin,
        task::{Context, Poll, Waker},
    };

    use super::{Panicked, call, poll};

    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic_any(Bomb);
        }
    }

    #[test]
    fn a_panic_becomes_its_text() {
        assert_eq!(call(|| panic!("boom")), Err::<(), _>(Panicked("boom".into())));
        assert_eq!(call(|| panic!("{}", 1)), Err::<(), _>(Panicked("1".into())));
    }

    #[test]
    fn a_payload_that_panics_when_dropped_is_contained() {
        assert!(call(|| panic_any(Bomb)).is_err());
        assert_eq!(call(|| 1), Ok(1));
    }
    #[test]
    fn a_future_that_panics_when_dropped_is_contained() {
        let mut context = Context::from_waker(Waker::noop());
        let bomb = |ends: bool| async move {
            let _bomb = Bomb;
            if !ends {
                pending::<()>().await;
            }
        };
        // Its locals go before it is ready, so the panic is its own.
        assert!(matches!(pin!(poll(bomb(true))).poll(&mut context), Poll::Ready(Err(_))));
        {
            let mut left = pin!(poll(bomb(false)));
            assert!(left.as_mut().poll(&mut context).is_pending());
        }
    }
}
