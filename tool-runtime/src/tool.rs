//! What can be called: hand-written tools, tools known only at run time, and the one form that all of them take.

mod keys;
mod running;

use std::{any::TypeId, borrow::Cow, fmt, future::Future, marker::PhantomData, panic::Location, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::Value;

use self::running::AsItIs;
pub(crate) use self::running::Ending;
pub use self::running::Running;
use crate::{
    context::CallContext,
    error::ToolError,
    output::{Beside, ModelOutput, ToolResult},
    request::{Limit, Misfit, RawArguments},
    schema,
    spec::ToolSpec,
    value::{Output, Reader, ToolOutput},
    view::{IntoView, View},
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

/// A tool ready for a registry. Made by [`tools!`](crate::tools), from a [`Tool`] or from a [`DynTool`].
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
    fn ready(spec: ToolSpec, schema: Value, callable: Arc<dyn Callable>, origin: Origin) -> Self {
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

/// The arguments of a hand-written [`Tool`]: any type that is `Deserialize` and [`JsonSchema`], as a struct.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be the arguments of a tool, they are decoded from JSON and described by a schema",
    label = "derive `serde::Deserialize` and `schemars::JsonSchema` on it, or use `tool_runtime::NoArgs`"
)]
pub trait ToolArgs: DeserializeOwned + JsonSchema + Send {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send> ToolArgs for T {}

/// The arguments of a tool that takes none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoArgs {}

// Written out: a derive would bring serde_derive into every user's build.
impl<'de> Deserialize<'de> for NoArgs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = NoArgs;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<NoArgs, A::Error> {
                while map.next_entry::<serde::de::IgnoredAny, serde::de::IgnoredAny>()?.is_some() {}
                Ok(NoArgs {})
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

impl JsonSchema for NoArgs {
    fn schema_name() -> Cow<'static, str> {
        "NoArgs".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object", "properties": {} })
    }
}

/// A tool written by hand, for what a function can't say. Give it to
/// [`RegistryBuilder::tool`](crate::RegistryBuilder::tool).
///
/// ```
/// use tool_runtime::{CallContext, NoArgs, Registry, Tool, ToolCall, ToolError, ToolResult, ToolSpec};
///
/// struct Uptime(std::time::Instant);
///
/// impl Tool for Uptime {
///     type Args = NoArgs;
///     type Output = u64;
///     fn spec(&self) -> ToolSpec {
///         ToolSpec::new("uptime", "Seconds since the program started.")
///     }
///     async fn run(&self, _: NoArgs, _: &CallContext) -> Result<ToolResult<u64>, ToolError> {
///         Ok(self.0.elapsed().as_secs().into())
///     }
/// }
///
/// # fn main() -> Result<(), tool_runtime::BuildError> {
/// let registry = Registry::builder().tool(Uptime(std::time::Instant::now())).build()?;
/// assert_eq!(registry.call_blocking(ToolCall::new("1", "uptime", "{}")).model_text(), "0");
/// # Ok(())
/// # }
/// ```
pub trait Tool: Send + Sync + 'static {
    /// What the model sends.
    type Args: ToolArgs;
    /// What the tool returns.
    type Output: ToolOutput;
    /// Name, description and policy; asked once, when the tool is registered.
    fn spec(&self) -> ToolSpec;
    /// Runs one call. Implement it with `async fn`.
    fn run(
        &self,
        args: Self::Args,
        ctx: &CallContext,
    ) -> impl Future<Output = Result<ToolResult<Self::Output>, ToolError>> + Send;
    /// A compact view of the output; `None` shows all of it.
    fn to_model_output(&self, _output: &Self::Output) -> Option<ModelOutput> {
        None
    }
}

struct Handwritten<T>(Arc<T>);

impl<T: Tool> Callable for Handwritten<T> {
    fn names(&self) -> Option<&'static [&'static [&'static str]]> {
        None
    }

    fn taken(&self) -> Option<&'static [&'static str]> {
        keys::taken::<T::Args>()
    }

    fn ignored(&self, text: &str) -> Option<Vec<String>> {
        let mut ignored = Vec::new();
        let mut reader = serde_json::Deserializer::from_str(text);
        let _: Result<T::Args, _> = serde_ignored::deserialize(&mut reader, |path| {
            if let serde_ignored::Path::Map { parent: serde_ignored::Path::Root, key } = path {
                ignored.push(key);
            }
        });
        Some(ignored)
    }

    fn check(&self, args: RawArguments<'_>) -> Result<(), Vec<Misfit>> {
        whole::<T::Args>(args).map(drop)
    }

    fn start<'a>(&'a self, args: RawArguments<'_>, ctx: &'a CallContext) -> Result<Started<'a>, Vec<Misfit>> {
        let args = whole::<T::Args>(args)?;
        Ok(Started::Later(Running::new(
            async move {
                match self.0.run(args, ctx).await {
                    Ok(result) => {
                        let tool = Arc::clone(&self.0);
                        Returned::from_result(
                            result,
                            Some(move |output: &T::Output| tool.to_model_output(output).into_view()),
                            None,
                        )
                    }
                    Err(error) => Returned::failed(error),
                }
            },
            &AsItIs,
        )))
    }
}

fn whole<T: DeserializeOwned>(args: RawArguments<'_>) -> Result<T, Vec<Misfit>> {
    serde_json::from_str(args.text).map_err(|error| vec![Misfit { slot: None, message: error.to_string() }])
}

impl<T: Tool> From<T> for RegisteredTool {
    #[track_caller]
    fn from(tool: T) -> Self {
        let schema = schema::generator().into_root_schema_for::<T::Args>().to_value();
        Self::ready(tool.spec(), schema, Arc::new(Handwritten(Arc::new(tool))), Origin::here())
    }
}

impl Origin {
    /// The caller's place, without its folder: a build machine's path is nobody's business.
    #[track_caller]
    fn here() -> Self {
        let place = Location::caller();
        let file = place.file().rsplit(['/', '\\']).next().unwrap_or_default();
        Self::Line(format!("{file}:{}", place.line()))
    }
}

/// A tool known only at run time: its schema is a JSON value, its arguments are checked against that schema and
/// come as a JSON value.
///
/// Its result is JSON, so that a JSON string reads `"text"`, in quotes. To show plain text return
/// `ToolResult::new(value).model_output(text)`.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::{DynTool, Registry, ToolCall, ToolResult, ToolSpec};
///
/// # fn main() -> Result<(), tool_runtime::BuildError> {
/// let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
/// let double = DynTool::new(ToolSpec::new("double", "Doubles."), schema, |args, _ctx| async move {
///     Ok(ToolResult::new(json!(args["n"].as_i64().unwrap_or(0) * 2)))
/// });
/// let registry = Registry::builder().tool(double).build()?;
/// assert_eq!(registry.call_blocking(ToolCall::new("1", "double", r#"{"n":21}"#)).model_text(), "42");
/// # Ok(())
/// # }
/// ```
pub struct DynTool {
    spec: ToolSpec,
    schema: Value,
    run: Arc<dyn Callable>,
}

impl fmt::Debug for DynTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DynTool").field(&self.spec.name()).finish()
    }
}

impl DynTool {
    /// A tool with this schema (JSON Schema 2020-12, of an object) and this body.
    pub fn new<F, R>(spec: ToolSpec, schema: Value, run: F) -> Self
    where
        F: Fn(Value, CallContext) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ToolResult<Value>, ToolError>> + Send + 'static,
    {
        Self { spec, schema, run: Arc::new(Closure { run, future: PhantomData }) }
    }
}

impl From<DynTool> for RegisteredTool {
    #[track_caller]
    fn from(tool: DynTool) -> Self {
        Self::ready(tool.spec, tool.schema, tool.run, Origin::here())
    }
}

struct Closure<F, R> {
    run: F,
    future: PhantomData<fn() -> R>,
}

impl<F, R> Callable for Closure<F, R>
where
    F: Fn(Value, CallContext) -> R + Send + Sync + 'static,
    R: Future<Output = Result<ToolResult<Value>, ToolError>> + Send + 'static,
{
    fn names(&self) -> Option<&'static [&'static [&'static str]]> {
        None
    }

    fn is_untyped(&self) -> bool {
        true
    }

    fn check(&self, args: RawArguments<'_>) -> Result<(), Vec<Misfit>> {
        whole::<Value>(args).map(drop)
    }

    fn start<'a>(&'a self, args: RawArguments<'_>, ctx: &'a CallContext) -> Result<Started<'a>, Vec<Misfit>> {
        let args = whole(args)?;
        Ok(Started::Later(Running::new(
            async move {
                match (self.run)(args, ctx.clone()).await {
                    Ok(result) => {
                        Returned::from_result(result, None::<fn(&Value) -> View>, Some(|value| Some(value.clone())))
                    }
                    Err(error) => Returned::failed(error),
                }
            },
            &AsItIs,
        )))
    }
}
