//! Runs the user's code so that its panics stay here.

use std::{
    any::Any,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
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

/// Polls `future` to its end.
pub(crate) async fn poll<F: Future>(future: F) -> Result<F::Output, Panicked> {
    let mut future = pin!(future);
    poll_fn(|context| match call(|| future.as_mut().poll(context)) {
        Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(panicked) => Poll::Ready(Err(panicked)),
    })
    .await
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
mod tests {
    use std::panic::panic_any;

    use super::{Panicked, call};

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
}
