//! Tools written by hand, and tools known only at run time.

mod keys;

use std::{borrow::Cow, fmt, future::Future, marker::PhantomData, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    callable::{AsItIs, Callable, Origin, RegisteredTool, Returned, Running, Started},
    context::CallContext,
    error::ToolError,
    output::{ModelOutput, ToolResult},
    request::{Misfit, RawArguments},
    schema::Generator,
    spec::ToolSpec,
    value::ToolOutput,
    view::{IntoView, View},
};

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
        let work = async move {
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
        };
        Ok(Started::Later(Running::new(work, &AsItIs)))
    }
}

fn whole<T: DeserializeOwned>(args: RawArguments<'_>) -> Result<T, Vec<Misfit>> {
    serde_json::from_str(args.text).map_err(|error| vec![Misfit { slot: None, message: error.to_string() }])
}

/// A `ToolResult` may come with content of any kind, and whoever gets a context can stream.
fn any_result(mut spec: ToolSpec) -> ToolSpec {
    spec.stages = spec.stages.with_presenting();
    spec
}

impl<T: Tool> From<T> for RegisteredTool {
    #[track_caller]
    fn from(tool: T) -> Self {
        let schema = Generator::of_arguments().get().root_schema_for::<T::Args>().to_value();
        Self::ready(any_result(tool.spec()), schema, Arc::new(Handwritten(Arc::new(tool))), Origin::here())
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
        Self::ready(any_result(tool.spec), tool.schema, tool.run, Origin::here())
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
        let work = async move {
            match (self.run)(args, ctx.clone()).await {
                Ok(result) => {
                    Returned::from_result(result, None::<fn(&Value) -> View>, Some(|value| Some(value.clone())))
                }
                Err(error) => Returned::failed(error),
            }
        };
        Ok(Started::Later(Running::new(work, &AsItIs)))
    }
}
