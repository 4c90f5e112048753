//! What a tool returns, told apart by its type: `T`, `Result<T, E>`, `ToolResult<T>` or `Result<ToolResult<T>, E>`.
//!
//! A macro sees spellings, and an alias of `Result` is spelled like anything. So the macro asks the compiler:
//! `(&&&&Probe::<R>::new()).__tool_shape()` gives the marker of the first shape that fits, because method lookup tries the
//! `impl` with the most `&` first.

use std::{any::Any, convert::Infallible, fmt, future::Future, marker::PhantomData, mem};

use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    callable::{Returned, Started},
    error::ToolError,
    fields::MakeSchema,
    output::ToolResult,
    value::{Reader, ToolOutput},
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
    label = "return `Result<_, tool_runtime::ToolError>`, and call errors `.transient()` that are"
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
    fn split(returned: Result<ToolResult<T>, E>) -> Result<ToolResult<T>, E> {
        returned
    }
}

impl<T, E> Shape<Result<T, E>> for InResult {
    type Value = T;
    type Error = E;
    fn split(returned: Result<T, E>) -> Result<ToolResult<T>, E> {
        returned.map(ToolResult::new)
    }
}

impl<T> Shape<ToolResult<T>> for InTool {
    type Value = T;
    type Error = Infallible;
    fn split(returned: ToolResult<T>) -> Result<ToolResult<T>, Infallible> {
        Ok(returned)
    }
}

impl<T> Shape<T> for Plain {
    type Value = T;
    type Error = Infallible;
    fn split(returned: T) -> Result<ToolResult<T>, Infallible> {
        Ok(ToolResult::new(returned))
    }
}

/// A value's view hook with its types known.
pub type Hook<T> = Option<fn(&T) -> View>;

/// A synchronous tool that has run.
pub fn done<R, S>(_shape: S, returned: R, hook: Hook<S::Value>, read: Reader<S::Value>) -> Started<'static>
where
    S: Shape<R, Value: ToolOutput, Error: ToolFailure>,
{
    Started::Done(finish::<R, S>(returned, hook, read))
}

/// An asynchronous tool that is to be polled.
pub fn later<'a, R, S, F>(_shape: S, running: F, hook: Hook<S::Value>, read: Reader<S::Value>) -> Started<'a>
where
    S: Shape<R, Value: ToolOutput, Error: ToolFailure>,
    F: Future<Output = R> + Send + 'a,
{
    Started::Later(Box::pin(async move { finish::<R, S>(running.await, hook, read) }))
}

/// What a tool returned, for the pipeline. Shared by all tools with one return type.
fn finish<R, S>(returned: R, hook: Hook<S::Value>, read: Reader<S::Value>) -> Returned
where
    S: Shape<R, Value: ToolOutput, Error: ToolFailure>,
{
    match S::split(returned) {
        Ok(result) => Returned::from_result(result, hook, read),
        Err(error) => Returned::failed(into_error(error)),
    }
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

/// Asks what the type of a tool's value can do: `(&&&&ValueProbe::of(shape, &probe)).__tool_able()` finds the first of the
/// traits below whose bounds hold.
#[derive(Debug)]
pub struct ValueProbe<T>(PhantomData<fn() -> T>);

impl<T> ValueProbe<T> {
    /// Asks about the value of `R`.
    pub fn of<R, S: Shape<R, Value = T>>(_shape: S, _returned: &Probe<R>) -> Self {
        Self(PhantomData)
    }
}

/// What the type of a value can do.
#[derive(Debug)]
pub struct Able<T> {
    /// Makes its schema.
    pub schema: Option<MakeSchema>,
    /// Reads a value back, so that its view can be made again after a hook has replaced it.
    pub reader: Reader<T>,
}

// One lifetime, and not every one as in `DeserializeOwned`: the compiler finds an `impl` before it looks at lifetimes, and
// would then refuse `&'static str`. An owned `Value` lends nothing, so any lifetime will do.
fn read<T: Deserialize<'static>>(value: &Value) -> Option<T> {
    T::deserialize(value.clone()).ok()
}

/// A value with a schema that can be read back. One question for both: each takes the compiler some time for every tool.
pub trait ByReadAndSchema<T> {
    /// Both.
    fn __tool_able(&self) -> Able<T>;
}

impl<T: Deserialize<'static> + JsonSchema> ByReadAndSchema<T> for &&&ValueProbe<T> {
    fn __tool_able(&self) -> Able<T> {
        Able { schema: Some(SchemaGenerator::root_schema_for::<T>), reader: Some(read) }
    }
}

/// A value that can be read back.
pub trait ByRead<T> {
    /// How.
    fn __tool_able(&self) -> Able<T>;
}

impl<T: Deserialize<'static>> ByRead<T> for &&ValueProbe<T> {
    fn __tool_able(&self) -> Able<T> {
        Able { schema: None, reader: Some(read) }
    }
}

/// A value with a schema.
pub trait BySchema<T> {
    /// What makes it.
    fn __tool_able(&self) -> Able<T>;
}

impl<T: JsonSchema> BySchema<T> for &ValueProbe<T> {
    fn __tool_able(&self) -> Able<T> {
        Able { schema: Some(SchemaGenerator::root_schema_for::<T>), reader: None }
    }
}

/// Any other value.
pub trait ByNeither<T> {
    /// Nothing.
    fn __tool_able(&self) -> Able<T> {
        Able { schema: None, reader: None }
    }
}

impl<T> ByNeither<T> for ValueProbe<T> {}

/// The traits behind the probes, without names of their own: a glob import of this module brings no name into scope
/// that a user's code could mean something else by.
pub mod shapes {
    pub use super::{
        ByBoth as _, ByNeither as _, ByPlain as _, ByRead as _, ByReadAndSchema as _, ByResult as _, BySchema as _,
        ByTool as _,
    };
    pub use crate::fields::{ByNothing as _, BySerialize as _};
}
