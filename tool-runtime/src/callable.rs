//! What every tool becomes: something that can be called, with its types erased.

mod running;

use std::{any::TypeId, fmt, panic::Location, sync::Arc};

use serde_json::Value;

pub use self::running::Running;
pub(crate) use self::running::{AsItIs, Ending};
use crate::{
    context::CallContext,
    error::ToolError,
    output::{Beside, ToolResult},
    request::{Limit, Misfit, RawArguments},
    spec::ToolSpec,
    value::{Output, Reader, ToolOutput},
    view::View,
};

/// What a tool hands to the pipeline.
#[derive(Debug)]
pub struct Returned {
    pub(crate) output: Result<Output, ToolError>,
    pub(crate) beside: Option<Box<Beside>>,
}

impl Returned {
    /// A failure with nothing beside it.
    pub(crate) fn failed(error: ToolError) -> Self {
        Self { output: Err(error), beside: None }
    }

    /// A value in its `ToolResult`, with the tool's view hook.
    pub(crate) fn from_result<T, H>(result: ToolResult<T>, hook: Option<H>, read: Reader<T>) -> Self
    where
        T: ToolOutput,
        H: Fn(&T) -> View + Clone + Send + Sync + 'static,
    {
        Self {
            output: match result.output {
                Ok(value) => Ok(Output::new(value, hook, read)),
                Err(message) => Err(ToolError::new(message)),
            },
            beside: result.beside,
        }
    }
}

/// A running tool.
pub enum Started<'a> {
    /// It has already finished.
    Done(Returned),
    /// It has to be polled.
    Later(Running<'a>),
}

impl fmt::Debug for Started<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Done(_) => "Done",
            Self::Later(_) => "Later",
        })
    }
}

/// A tool with its types erased.
pub(crate) trait Callable: Send + Sync {
    /// The parameters, each with its name and then its aliases; `None` where the arguments are decoded as a whole.
    fn names(&self) -> Option<&'static [&'static [&'static str]]>;
    /// Which top-level keys the arguments' type takes, known from the type alone.
    fn taken(&self) -> Option<&'static [&'static str]> {
        None
    }
    /// Which top-level keys the arguments' type would ignore; `None` where only the schema can tell.
    fn ignored(&self, _text: &str) -> Option<Vec<String>> {
        None
    }
    /// Whether the arguments have no type of their own, so that only the schema can refuse them.
    fn is_untyped(&self) -> bool {
        false
    }
    /// What attributes ask of parameters beyond their types.
    fn limits(&self) -> &[Limit] {
        &[]
    }
    /// Decodes the arguments and nothing else.
    fn check(&self, args: RawArguments<'_>) -> Result<(), Vec<Misfit>>;
    /// Decodes the arguments and starts the tool; a synchronous tool has finished when this returns.
    fn start<'a>(&'a self, args: RawArguments<'_>, ctx: &'a CallContext) -> Result<Started<'a>, Vec<Misfit>>;
    /// Whether `start` always gives [`Started::Done`].
    fn is_sync(&self) -> bool {
        false
    }
}

/// Shared state that a tool can't do without.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need {
    pub(crate) parameter: &'static str,
    pub(crate) kind: TypeId,
    pub(crate) type_name: &'static str,
}

/// Where a tool was written, for messages to the developer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The path of a function with `#[tool]`, and the type of the function itself: two functions may have one path.
    Function(String, TypeId),
    /// The file and line that registered it.
    Line(String),
}

impl Origin {
    /// Whether both are one function; a line may register many tools.
    pub(crate) fn is_same_function(&self, other: &Self) -> bool {
        matches!(self, Self::Function(..)) && self == other
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Function(place, _) | Self::Line(place) => f.write_str(place),
        }
    }
}

/// A tool ready for a registry. Made by [`tools!`](crate::tools), from a [`Tool`](crate::Tool) or from a [`DynTool`](crate::DynTool).
#[derive(Clone)]
pub struct RegisteredTool(pub(crate) Entry);

#[derive(Clone)]
pub(crate) enum Entry {
    Ready {
        spec: Arc<ToolSpec>,
        schema: Arc<Value>,
        /// Of the value, where its type has one.
        output_schema: Option<Arc<Value>>,
        callable: Arc<dyn Callable>,
        needs: Vec<Need>,
        origin: Origin,
    },
    /// `tools!` was given something that is no tool; the message says what to do.
    NotATool(String),
}

impl fmt::Debug for RegisteredTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Entry::Ready { spec, .. } => f.debug_tuple("RegisteredTool").field(&spec.name()).finish(),
            Entry::NotATool(message) => f.debug_tuple("RegisteredTool").field(message).finish(),
        }
    }
}

impl RegisteredTool {
    pub(crate) fn ready(spec: ToolSpec, schema: Value, callable: Arc<dyn Callable>, origin: Origin) -> Self {
        let (spec, schema) = (Arc::new(spec), Arc::new(schema));
        Self(Entry::Ready { spec, schema, output_schema: None, callable, needs: Vec::new(), origin })
    }
}

/// What becomes one tool: everything that is `Into<RegisteredTool>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tool of itself, `.tool(..)` takes a `Tool`, a `DynTool` or a handle of `#[tool(handle = Name)]`",
    label = "write `.tools(tools![function])` for a function with `#[tool]`, and `.tools(value.into_tools())` for a value with a \
             `#[tool] impl`"
)]
pub trait IntoTool {
    /// Converts.
    fn into_tool(self) -> RegisteredTool;
}

#[diagnostic::do_not_recommend]
impl<T: Into<RegisteredTool>> IntoTool for T {
    #[track_caller]
    fn into_tool(self) -> RegisteredTool {
        self.into()
    }
}

/// Many tools: everything that iterates over [`RegisteredTool`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list of tools, `.tools(..)` takes what `tools![..]` and `value.into_tools()` give",
    label = "write `.tools(tools![function])` for functions with `#[tool]`, `.tools(value.into_tools())` for a block's, and \
             `.tool(..)` for one tool"
)]
pub trait ToolList: IntoIterator<Item = RegisteredTool> {}

#[diagnostic::do_not_recommend]
impl<I: IntoIterator<Item = RegisteredTool>> ToolList for I {}

impl Origin {
    /// The caller's place, without its folder: a build machine's path is nobody's business.
    #[track_caller]
    pub(crate) fn here() -> Self {
        let place = Location::caller();
        let file = place.file().rsplit(['/', '\\']).next().unwrap_or_default();
        Self::Line(format!("{file}:{}", place.line()))
    }
}
