//! A tool that has to be polled.

use std::{
    any::Any,
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use super::Returned;

/// The future of a tool, and what becomes of its output. Not a future round that future: it would be a second state machine
/// in each tool of a program, while what comes after is the same for all tools that return one type.
pub struct Running<'a> {
    work: Pin<Box<dyn Work + Send + 'a>>,
    ending: &'static dyn Erased,
}

/// What becomes of the output of a future.
pub(crate) trait Ending: Sync {
    /// The output.
    type Output: 'static;
    /// Makes of it what the pipeline takes.
    fn finish(&self, output: Self::Output) -> Returned;
}

/// A future with the type of its output erased.
trait Work {
    /// Puts the output into `place`, an `Option` of its type.
    fn poll_into(self: Pin<&mut Self>, context: &mut Context<'_>, place: &mut dyn Any) -> Poll<()>;
}

impl<F: Future<Output: 'static>> Work for F {
    fn poll_into(self: Pin<&mut Self>, context: &mut Context<'_>, place: &mut dyn Any) -> Poll<()> {
        self.poll(context).map(|output| put(output, place))
    }
}

// One function for all tools that return one type.
#[inline(never)]
fn put<R: 'static>(output: R, place: &mut dyn Any) {
    if let Some(place) = place.downcast_mut() {
        *place = Some(output);
    }
}

/// An ending with the type of the output erased.
trait Erased: Sync {
    fn poll(&self, work: Pin<&mut (dyn Work + Send + '_)>, context: &mut Context<'_>) -> Poll<Returned>;
}

impl<E: Ending> Erased for E {
    fn poll(&self, work: Pin<&mut (dyn Work + Send + '_)>, context: &mut Context<'_>) -> Poll<Returned> {
        let mut output = None::<E::Output>;
        ready!(work.poll_into(context, &mut output));
        Poll::Ready(self.finish(output.expect("`Running::new` takes a future and an ending of one type")))
    }
}

/// For futures that make what the pipeline takes themselves.
pub(crate) struct AsItIs;

impl Ending for AsItIs {
    type Output = Returned;
    fn finish(&self, output: Returned) -> Returned {
        output
    }
}

impl<'a> Running<'a> {
    pub(crate) fn new<E: Ending>(work: impl Future<Output = E::Output> + Send + 'a, ending: &'static E) -> Self {
        Self { work: Box::pin(work), ending }
    }
}

impl Future for Running<'_> {
    type Output = Returned;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Returned> {
        let ending = self.ending;
        ending.poll(self.work.as_mut(), context)
    }
}

impl fmt::Debug for Running<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Running(..)")
    }
}

#[cfg(test)]
#[allow(clippy::panic)]
mod tests {
    use std::{
        future,
        panic::{AssertUnwindSafe, catch_unwind},
        sync::{
            Arc,
            atomic::{AtomicBool, Ordering},
        },
        task::Waker,
    };

    use super::*;
    use crate::error::ToolError;

    struct Shouted;

    impl Ending for Shouted {
        type Output = &'static str;
        fn finish(&self, output: &'static str) -> Returned {
            Returned::failed(ToolError::new(output.to_uppercase()))
        }
    }

    fn poll(running: &mut Running<'_>) -> Option<String> {
        match Pin::new(running).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(returned) => Some(returned.output.err().map(|error| error.to_string()).unwrap_or_default()),
            Poll::Pending => None,
        }
    }

    #[test]
    fn the_output_comes_to_the_ending_when_the_future_is_ready() {
        let is_open = AtomicBool::new(false);
        let work =
            future::poll_fn(|_| if is_open.load(Ordering::Relaxed) { Poll::Ready("late") } else { Poll::Pending });
        let mut running = Running::new(work, &Shouted);
        assert_eq!(poll(&mut running), None);
        is_open.store(true, Ordering::Relaxed);
        assert_eq!(poll(&mut running).as_deref(), Some("LATE"));
    }

    #[test]
    fn a_panic_of_the_future_is_the_callers() {
        let mut running = Running::new(future::poll_fn(|_| -> Poll<&str> { panic!("the tool's") }), &Shouted);
        assert!(catch_unwind(AssertUnwindSafe(|| poll(&mut running))).is_err());
    }

    #[test]
    fn a_future_that_is_dropped_drops_what_it_holds() {
        let held = Arc::new(());
        let inside = Arc::clone(&held);
        let work = async move {
            future::pending::<()>().await;
            drop(inside);
            ""
        };
        let mut running = Running::new(work, &Shouted);
        assert_eq!(poll(&mut running), None);
        assert_eq!(Arc::strong_count(&held), 2);
        drop(running);
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
