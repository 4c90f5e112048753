//! What a tool returns, told apart by its type: `T`, `Result<T, E>`, `ToolResult<T>` or `Result<ToolResult<T>, E>`.
//!
//! A macro sees spellings, and an alias of `Result` is spelled like anything. So the macro asks the compiler:
//! `(&&&&Probe::<R>::new()).__tool_shape()` gives the marker of the first shape that fits, because method lookup tries the
//! `impl` with the most `&` first.

mod able;

use std::{any::Any, convert::Infallible, fmt, future::Future, marker::PhantomData, mem};

pub use self::able::{Able, ValueProbe, returns};
use crate::{
    callable::{self, Ending as _, Returned, Running, Started},
    error::ToolError,
    output::ToolResult,
    value::ToolOutput,
    view::{IntoView, View},
};

/// What the error of a tool must be.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be the error of a tool, the model reads its text and it has none",
    label = "implement `std::fmt::Display` on it"
)]
pub trait ToolFailure: fmt::Display + 'static {}

#[diagnostic::do_not_recommend]
impl<E: fmt::Display + 'static> ToolFailure for E {}

/// An error that can say that a call may be tried again.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't say that a call may be tried again, so `retries` would change nothing",
    label = "return `Result<_, tool_runtime::ToolError>`, and mark an error that may pass with `.transient()`"
)]
pub trait Retried {}

impl Retried for ToolError {}

/// A question about a function that returns `R`. rustc prints the line below, where this reads better.
type Returns<R> = Probe<R>;

/// Holds a tool with `retries` to errors that it can be tried again for.
pub fn retried<R, S: Shape<R, Error: Retried>>(_shape: S, _returned: &Returns<R>) {}

/// How a return type `R` falls into value and error.
pub trait Shape<R> {
    /// The type of the value.
    type Value;
    /// The type of the error.
    type Error;
    /// Whether a value may come with content parts.
    const MAY_HAVE_CONTENT: bool;
    /// Splits.
    fn split(returned: R) -> Result<ToolResult<Self::Value>, Self::Error>;
}

/// Asks for the shape of `R`.
#[derive(Debug)]
pub struct Probe<R>(PhantomData<fn() -> R>);

impl<R> Probe<R> {
    /// Asks.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "written by the macro only")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

macro_rules! shapes {
    ($($doc:literal $marker:ident, $by:ident: <$($generic:ident),*> $probe:ty;)*) => {
        $(
            #[doc = $doc]
            #[derive(Clone, Copy, Debug)]
            pub struct $marker;

            #[doc = $doc]
            pub trait $by {
                /// The marker.
                fn __tool_shape(&self) -> $marker {
                    $marker
                }
            }

            impl<$($generic),*> $by for $probe {}
        )*
    };
}

shapes! {
    "`Result<ToolResult<T>, E>`" InBoth, ByBoth: <T, E> &&&Probe<Result<ToolResult<T>, E>>;
    "`Result<T, E>`" InResult, ByResult: <T, E> &&Probe<Result<T, E>>;
    "`ToolResult<T>`" InTool, ByTool: <T> &Probe<ToolResult<T>>;
    "Any other type" Plain, ByPlain: <T> Probe<T>;
}

impl<T, E> Shape<Result<ToolResult<T>, E>> for InBoth {
    type Value = T;
    type Error = E;
    const MAY_HAVE_CONTENT: bool = true;
    fn split(returned: Result<ToolResult<T>, E>) -> Result<ToolResult<T>, E> {
        returned
    }
}

impl<T, E> Shape<Result<T, E>> for InResult {
    type Value = T;
    type Error = E;
    const MAY_HAVE_CONTENT: bool = false;
    fn split(returned: Result<T, E>) -> Result<ToolResult<T>, E> {
        returned.map(ToolResult::new)
    }
}

impl<T> Shape<ToolResult<T>> for InTool {
    type Value = T;
    type Error = Infallible;
    const MAY_HAVE_CONTENT: bool = true;
    fn split(returned: ToolResult<T>) -> Result<ToolResult<T>, Infallible> {
        Ok(returned)
    }
}

impl<T> Shape<T> for Plain {
    type Value = T;
    type Error = Infallible;
    const MAY_HAVE_CONTENT: bool = false;
    fn split(returned: T) -> Result<ToolResult<T>, Infallible> {
        Ok(ToolResult::new(returned))
    }
}

/// A value's view hook with its types known.
pub type Hook<T> = Option<fn(&T) -> View>;

/// What becomes of what a tool returned. In a `static`: all that is left of the types is a pointer to this.
#[derive(Debug)]
pub struct Ending<R, S: Shape<R>, A> {
    /// The view hook.
    pub hook: Hook<S::Value>,
    /// What the type of the value can do.
    pub able: PhantomData<fn() -> A>,
}

impl<R, S: Shape<R>, A> Ending<R, S, A> {
    /// Without a view hook.
    pub const PLAIN: Self = Self { hook: None, able: PhantomData };
}

impl<R, S, A> callable::Ending for Ending<R, S, A>
where
    R: 'static,
    S: Shape<R, Value: ToolOutput, Error: ToolFailure>,
    A: Able<Value = S::Value>,
{
    type Output = R;

    fn finish(&self, returned: R) -> Returned {
        match S::split(returned) {
            Ok(result) => Returned::from_result(result, self.hook, A::READER),
            Err(error) => Returned::failed(into_error(error)),
        }
    }
}

/// A tool that was started, or arguments that don't fit.
pub type MaybeStarted<'a> = Option<Started<'a>>;

/// A synchronous tool that has run.
pub fn done<R, S, A>(_shape: S, _able: A, returned: R, ending: &'static Ending<R, S, A>) -> MaybeStarted<'static>
where
    S: Shape<R, Value: ToolOutput, Error: ToolFailure>,
    A: Able<Value = S::Value>,
    R: 'static,
{
    Some(Started::Done(ending.finish(returned)))
}

/// An asynchronous tool that is to be polled.
pub fn later<'a, R, S, A, F>(_shape: S, _able: A, running: F, ending: &'static Ending<R, S, A>) -> MaybeStarted<'a>
where
    R: 'static,
    S: Shape<R, Value: ToolOutput, Error: ToolFailure> + 'static,
    A: Able<Value = S::Value> + 'static,
    F: Future<Output = R> + Send + 'a,
{
    Some(Started::Later(Running::new(running, ending)))
}

/// A `ToolError` as it is, for it knows more than its text; of any other error the text.
fn into_error<E: ToolFailure>(mut error: E) -> ToolError {
    match (&mut error as &mut dyn Any).downcast_mut::<ToolError>() {
        Some(own) => mem::replace(own, ToolError::new("")),
        None => ToolError::new(error),
    }
}

/// Runs a `to_model_output` hook: a path or a closure, also one that returns what it borrows from the value.
/// The value comes first, so that a closure's parameter needs no type.
pub fn to_model_output<'a, T, V: IntoView>(value: &'a T, hook: impl FnOnce(&'a T) -> V) -> View {
    hook(value).into_view()
}

/// The traits behind the probes, without names of their own: a glob import of this module brings no name into scope
/// that a user's code could mean something else by.
pub mod shapes {
    pub use super::{
        ByBoth as _, ByPlain as _, ByResult as _, ByTool as _,
        able::{ByNeither as _, ByRead as _, ByReadAndSchema as _, BySchema as _},
    };
    pub use crate::fields::{ByNothing as _, BySerialize as _};
}
