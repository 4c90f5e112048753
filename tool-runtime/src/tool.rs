//! What can be called: hand-written tools, tools known only at run time, and the one form that all of them take.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use serde_json::{Map, Value};

use crate::{
    context::CallContext,
    error::ToolError,
    output::{ModelOutput, Part, ToolResult},
    request::{Misfit, RawArguments},
    spec::ToolSpec,
    value::{Output, ToolOutput},
    view::View,
};

/// What a tool hands to the pipeline.
#[derive(Debug)]
pub struct Returned {
    pub(crate) output: Result<Output, ToolError>,
    pub(crate) model_output: Option<ModelOutput>,
    pub(crate) content: Vec<Part>,
    pub(crate) metadata: Map<String, Value>,
}

impl Returned {
    /// A failure with nothing beside it.
    pub(crate) fn failed(error: ToolError) -> Self {
        Self { output: Err(error), model_output: None, content: Vec::new(), metadata: Map::new() }
    }

    /// A value in its `ToolResult`, with the tool's view hook.
    pub(crate) fn from_result<T: ToolOutput>(result: ToolResult<T>, hook: Option<fn(&T) -> View>) -> Self {
        Self {
            output: match result.output {
                Ok(value) => Ok(Output::new(value, hook)),
                Err(message) => Err(ToolError::new(message)),
            },
            model_output: result.model_output,
            content: result.content,
            metadata: result.metadata,
        }
    }
}

/// A running tool.
pub enum Started<'a> {
    /// It has already finished.
    Done(Returned),
    /// It has to be polled.
    Later(Pin<Box<dyn Future<Output = Returned> + Send + 'a>>),
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
    /// Which top-level keys the arguments' type would ignore; `None` where only the schema can tell.
    fn ignored(&self, _text: &str) -> Option<Vec<String>> {
        None
    }
    /// Whether the arguments have no type of their own, so that only the schema can refuse them.
    fn is_untyped(&self) -> bool {
        false
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

/// Where a tool was written, for messages to the developer.
#[derive(Clone, Debug)]
pub(crate) struct Origin(pub(crate) String);

/// A tool ready for a registry. Made by [`tools!`](crate::tools), from a [`Tool`] or from a [`DynTool`].
#[derive(Clone)]
pub struct RegisteredTool(pub(crate) Entry);

#[derive(Clone)]
pub(crate) enum Entry {
    Ready {
        spec: Arc<ToolSpec>,
        schema: Arc<Value>,
        callable: Arc<dyn Callable>,
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
