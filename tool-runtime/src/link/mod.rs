//! How the tools that the macro made are found: by value, or all that are linked into the program.

mod block;
mod given;
mod table;

use std::any::{Any, TypeId};

pub use self::{
    block::{IntoTools, OneToolBlockUnlessNamedByInto, bind},
    given::{Given, Need, ToolState},
    table::{Compared, MacroTool, Mode, Settings, Start},
};
use crate::{
    callable::{Entry, RegisteredTool},
    registry::RegistryBuilder,
};

/// Turns a function into a tool that a language model can call. The function stays as it is and can be called as before.
///
/// ```
/// use tool_runtime::{Registry, ToolCall, tool, tools};
///
/// fn shown(words: &Vec<String>) -> String {
///     format!("{} words, the first is {:?}", words.len(), words.first())
/// }
///
/// /// Splits a text into words.
/// #[tool(to_model_output = shown, max_result_size = 2000, read_only)]
/// fn split(
///     /// The text.
///     text: &str,
///     /// The most words to return.
///     #[serde(default = "ten")]
///     #[schemars(range(min = 1, max = 100))]
///     most: u8,
/// ) -> Vec<String> {
///     text.split_whitespace().take(most.into()).map(str::to_owned).collect()
/// }
///
/// fn ten() -> u8 {
///     10
/// }
///
/// # fn main() -> Result<(), tool_runtime::BuildError> {
/// let registry = Registry::builder().tools(tools![split]).build()?;
/// let outcome = registry.call_blocking(ToolCall::new("call_1", "split", r#"{"text": "to be or not"}"#));
/// assert_eq!(outcome.model_text(), r#"4 words, the first is Some("to")"#);
/// assert_eq!(split("to be", 10).len(), 2);
/// # Ok(())
/// # }
/// ```
///
/// An `async` one is awaited as ever:
///
/// ```
/// # use tool_runtime::tool;
/// /// Doubles a number, later.
/// #[tool]
/// async fn double(number: u32) -> Result<u32, String> {
///     number.checked_mul(2).ok_or_else(|| "too large".to_owned())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// assert_eq!(double(4).await, Ok(8));
/// assert!(double(u32::MAX).await.is_err());
/// # }
/// ```
///
/// # Keys
///
/// | key | meaning |
/// |---|---|
/// | `name = ".."` | the tool's name; default: the function's |
/// | `title = ".."` | a name for people; default: none |
/// | `description = ".."` | what the model is told; default: the doc comment |
/// | `to_model_output = path` or closure | the compact view: takes `&Output`, returns text, JSON, [`ModelOutput`](crate::ModelOutput), or `Option` or `Result` of these |
/// | `max_result_size = N` or `none` | the most characters of a result that the model reads; default: the registry's |
/// | `max_result_tokens = N` | the same in tokens, beside it; with feature `tokens` |
/// | `max_media_bytes = N` | the most bytes of images, audio and files that the model gets of a result; larger ones are left out and saved |
/// | `truncation = head_tail`, `head`, `fields` or `structure` | how longer results are cut; see [`TruncationStrategy`](crate::TruncationStrategy) |
/// | `keep = on_cut` or `always` | when the full result is saved; default: `on_cut` |
/// | `external` | the result comes from outside: it is sanitised and fenced |
/// | `read_only`, `destructive`, `idempotent`, `open_world` | hints for clients and guards; see [`Hints`](crate::Hints) |
/// | `timeout = "30s"` | the longest that a call may take, in `ms`, `s`, `m` or `h`; for `async` and `blocking` functions, with feature `tokio` |
/// | `blocking` | the function blocks: it runs on the blocking pool, with feature `tokio`; without the key it runs inside the caller's task |
/// | `max_concurrent = N` | how many calls run at the same time, in one registry; more wait for their turn; see [`ToolSpec::max_concurrent`](crate::ToolSpec::max_concurrent) |
/// | `retries = N` | how often a call is tried again whose [`ToolError`](crate::ToolError) is [transient](crate::ToolError::transient); see [`ToolSpec::retries`](crate::ToolSpec::retries) |
/// | `approval` | not run unless the registry's [`approver`](crate::RegistryBuilder::approver) says yes |
/// | `strict` | providers that can are asked to keep to the schema to the letter |
/// | `tags("a", "b")` | words to choose tools by |
/// | `loop_key(a, b)`, `loop_key(except(c))` or `loop_key = path` | which arguments the loop guard compares: these, all but these, or what `fn(&Value) -> Value` makes of them; default: all |
/// | `output_schema = false` | no schema of the result; default: that of the result's type, if it is `JsonSchema` |
/// | `handle = Name` | also makes a unit struct `Name`, as visible as the function, which `.tool(Name)` takes |
/// | `crate = path` | where `tool_runtime` is, for a dependency that was renamed (`crate = ::rt`) or is re-exported; default: `::tool_runtime` |
///
/// # Parameters
///
/// Any type that is `Deserialize + JsonSchema`, and `&str`, `&[T]`, `&Path`, `&T`, `Option<&T>` and `Cow<'_, str>`. What
/// takes an absent value (`Option`, an alias of it) is optional. A doc comment on a parameter describes it to the
/// model, and so does a bullet in the function's `# Arguments` section, which then leaves the description.
///
/// These attributes mean what they mean on a field: `#[serde(default, default = "..", rename, alias, with,
/// deserialize_with)]` and `#[schemars(title, description, range, length, regex, extend, with, example)]`. With
/// `with` and `deserialize_with` the schema stays that of the type; give another with `#[schemars(with = "..")]`.
///
/// A call that breaks a limit of `range`, `length` or `regex` is an argument problem, and the function isn't run. Patterns
/// are held with feature `regex`; without it they are in the schema only. With feature `garde` the rules of `#[garde(range,
/// length, pattern, email, ip, ipv4, ipv6, ascii, alphanumeric, contains, prefix, suffix, dive)]` go into the schema, as
/// far as a schema can say them, and are held too; `dive` asks that the parameter's type is garde's `Validate`, of the version
/// that is re-exported as `tool_runtime::garde`. A pattern that the engine of `regex` can't read, look-around for one, is a
/// [`BuildError`](crate::BuildError); `#[schemars(extend("pattern" = ".."))]` puts it into the schema alone.
///
/// `#[inject] db: &Db` takes shared state, which the registry's builder gets with
/// [`.state(db)`](crate::RegistryBuilder::state), and `#[inject] ctx: &CallContext` what belongs to the call. The model
/// sees neither. State that nobody put in is a [`BuildError`](crate::BuildError), but for `Option<&T>`.
///
/// # Methods
///
/// On an `impl` block, `#[tool]` makes tools of its functions that carry `#[tool(..)]` themselves; methods take `&self`.
/// `value.into_tools()`, of the trait [`IntoTools`](crate::IntoTools), gives them to the builder, on the value or on an
/// `Arc` of it. `prefix = ".."` is put before the names of a block's tools, with a `_` between. A second block of
/// one type names its own method, which takes an `Arc`: `into = admin_tools`. It is `pub` if one of the block's tools is.
///
/// ```
/// use tool_runtime::{IntoTools, Registry, tool};
///
/// struct Counter(std::sync::atomic::AtomicU64);
///
/// #[tool(prefix = "counter")]
/// impl Counter {
///     /// Counts on.
///     #[tool]
///     async fn add(&self, steps: u64) -> u64 {
///         self.0.fetch_add(steps, std::sync::atomic::Ordering::Relaxed) + steps
///     }
/// }
///
/// # fn main() -> Result<(), tool_runtime::BuildError> {
/// let registry = Registry::builder().tools(Counter(0.into()).into_tools()).build()?;
/// assert_eq!(registry.tool_names().collect::<Vec<_>>(), ["counter_add"]);
/// # Ok(())
/// # }
/// ```
///
/// # Results
///
/// `T`, `Result<T, E>`, [`ToolResult<T>`](crate::ToolResult) or `Result<ToolResult<T>, E>`, or an alias of one, where
/// `T` is `Serialize + Send + Sync + 'static` and `E` is `Display`. With `retries`, `E` is
/// [`ToolError`](crate::ToolError), which any error turns into with `?` or `From`, and which alone can say that a call may
/// be tried again:
///
/// ```
/// use std::io;
/// use tool_runtime::{Registry, ToolCall, ToolError, tool, tools};
///
/// fn fetch(path: &str) -> io::Result<String> {
///     # let _ = path;
///     Err(io::ErrorKind::NotFound.into())
/// }
///
/// /// Reads a page.
/// #[tool(retries = 3)]
/// fn page(path: &str) -> Result<String, ToolError> {
///     fetch(path).map_err(|error| match error.kind() {
///         io::ErrorKind::TimedOut | io::ErrorKind::ConnectionReset => ToolError::from(error).transient(),
///         _ => error.into(),
///     })
/// }
///
/// # fn main() -> Result<(), tool_runtime::BuildError> {
/// let registry = Registry::builder().tools(tools![page]).build()?;
/// let outcome = registry.call_blocking(ToolCall::new("1", "page", r#"{"path": "/"}"#));
/// assert_eq!((outcome.is_error(), outcome.receipt().attempts), (true, 1));
/// # Ok(())
/// # }
/// ```
pub use tool_macros::tool;

/// Makes tools of functions that carry [`#[tool]`](macro@crate::tool), found through any import or rename:
/// `tools![get_weather, maps::route]` is a `[RegisteredTool; 2]`.
///
/// A function without the attribute is reported when the registry is built.
///
/// ```
/// use tool_runtime::{tool, tools};
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let [adder] = tools![add];
/// assert_eq!(format!("{adder:?}"), r#"RegisteredTool("add")"#);
/// ```
#[macro_export]
macro_rules! tools {
    ($($tool:path),* $(,)?) => {
        [$($crate::__private::find(&$tool, ::core::stringify!($tool))),*]
    };
    ($($other:tt)*) => {
        ::core::compile_error!("`tools!` takes functions that carry `#[tool]`, by their paths; write `tools![get_weather, maps::route]`")
    };
}

impl RegistryBuilder {
    /// Adds every `#[tool]` function that was linked into the program, from any crate.
    pub fn linked(self) -> Self {
        self.tools(linked())
    }

    /// Adds the linked `#[tool]` functions of these crates only; `-` and `_` are the same. A crate that has none, or that
    /// there isn't, adds none.
    pub fn linked_from<'a>(self, crates: impl IntoIterator<Item = &'a str>) -> Self {
        let crates: Vec<&str> = crates.into_iter().collect();
        self.tools(linked_from(&crates))
    }
}

inventory::collect!(MacroTool);

/// The key of a function: its type, which no other function has, whatever name it is imported by.
#[must_use]
pub fn key_of<F: Any>(_function: &F) -> TypeId {
    TypeId::of::<F>()
}

/// The tool that a function became; `path` is how the user wrote it.
pub fn find<F: Any>(function: &F, path: &'static str) -> RegisteredTool {
    let (key, nobody) = (key_of(function), table::nobody());
    let table = tables().find(|table| table.key(&nobody) == Some(key));
    let message = match table.map(|table| (table, table.bound_by())) {
        Some((table, None)) => return table.register(),
        Some((_, Some(into))) => {
            format!("`{path}` is a method and needs a value to be called on; write `.tools(value.{into}())`")
        }
        None if path.contains('<') => format!(
            "`{path}` is not a tool; add `#[tool]` to the function, or take a function of a generic block with \
             `.tools(value.into_tools())`"
        ),
        None => format!("`{path}` is not a tool; add `#[tool]` to the function"),
    };
    RegisteredTool(Entry::NotATool(message))
}

/// All linked tools that need no value, in no particular order.
fn linked() -> impl Iterator<Item = RegisteredTool> {
    tables().filter(|table| table.bound_by().is_none()).map(MacroTool::register)
}

/// The linked tools of these crates, `-` and `_` alike.
fn linked_from(crates: &[&str]) -> impl Iterator<Item = RegisteredTool> {
    let crates: Vec<String> = crates.iter().map(|name| name.replace('-', "_")).collect();
    tables()
        .filter(|table| table.bound_by().is_none())
        .filter(move |table| {
            let home = table.parts().place.split("::").next();
            crates.iter().any(|name| Some(name.as_str()) == home)
        })
        .map(MacroTool::register)
}

fn tables() -> impl Iterator<Item = &'static MacroTool> {
    inventory::iter::<MacroTool>.into_iter()
}

#[cfg(test)]
#[allow(clippy::panic)]
mod tests {
    use schemars::JsonSchema;
    use serde::Serialize;
    use serde_json::{Value, json};

    use super::*;
    #[cfg(feature = "tokio")]
    use crate::spec::LoopKey;
    use crate::{spec::ToolSpec, tool};

    #[tool]
    fn present() {}

    fn plain() {}

    #[test]
    fn a_function_is_found_by_value_and_another_is_not() {
        let [found, missing] = tools![present, self::plain];
        assert_eq!(format!("{found:?}"), r#"RegisteredTool("present")"#);
        let Entry::NotATool(message) = &missing.0 else { panic!("{missing:?}") };
        assert_eq!(message, "`self::plain` is not a tool; add `#[tool]` to the function");
        present();
        plain();
    }

    #[test]
    fn linked_tools_are_found_by_crate() {
        let all = linked().count();
        assert!(all > 0);
        assert_eq!(linked_from(&["tool-runtime"]).count(), all);
        assert_eq!(linked_from(&["other", "tool_runtime"]).count(), all);
        assert_eq!(linked_from(&["other"]).count(), 0);
    }

    fn ready([tool]: [RegisteredTool; 1]) -> (ToolSpec, Option<Value>) {
        let Entry::Ready { spec, output_schema, .. } = tool.0 else { panic!("{tool:?}") };
        (ToolSpec::clone(&spec), output_schema.map(|schema| Value::clone(&schema)))
    }

    #[cfg(feature = "tokio")]
    #[tool(timeout = "2m", blocking, approval, strict, tags("a", "b"), loop_key(except(b, "c")))]
    fn keyed(a: u8, b: u8, #[serde(rename = "c")] d: u8) -> u8 {
        a + b + d
    }

    #[tool(max_concurrent = 3, retries = 2)]
    fn bounded() -> Result<u8, crate::ToolError> {
        "1".parse().map_err(crate::ToolError::from)
    }

    #[test]
    fn keys_of_running_reach_the_spec() {
        let spec = |tool| ready(tool).0;
        let (bounded_spec, plain_spec) = (spec(tools![bounded]), spec(tools![present]));
        assert_eq!((bounded_spec.max_concurrent, bounded_spec.retries), (Some(3), 2));
        assert_eq!((plain_spec.max_concurrent, plain_spec.retries), (None, 0));
        assert!(bounded().is_ok());
    }

    #[tool(loop_key = |value| value["a"].clone())]
    fn compared(a: u8) -> u8 {
        a
    }

    #[cfg(feature = "tokio")]
    #[test]
    fn keys_reach_the_spec() {
        let (spec, _) = ready(tools![keyed]);
        assert_eq!(spec.timeout, Some(std::time::Duration::from_secs(120)));
        assert!(spec.blocking && spec.approval && spec.strict);
        assert_eq!(spec.tags, ["a", "b"]);
        assert!(matches!(&spec.loop_key, LoopKey::Except(names) if *names == ["b", "c"]));
        assert!(matches!(ready(tools![compared]).0.loop_key, LoopKey::By(by) if by(&json!({"a": 1})) == 1));
        let (spec, _) = ready(tools![present]);
        assert!(spec.timeout.is_none() && !spec.blocking && !spec.approval && !spec.strict && spec.tags.is_empty());
        assert_eq!(keyed(1, 2, 3) + compared(1), 7);
    }

    #[derive(Serialize, JsonSchema)]
    struct Report {
        /// How many.
        count: u32,
        /// Not always there.
        #[serde(skip_serializing_if = "Option::is_none", rename(serialize = "remark"))]
        note: Option<String>,
        #[serde(skip_deserializing)]
        parts: Vec<Report>,
    }

    #[derive(Serialize)]
    struct Bare;

    type Answer<T> = Result<crate::ToolResult<T>, String>;

    #[tool]
    async fn report() -> Answer<Report> {
        Ok(Report { count: 1, note: None, parts: Vec::new() }.into())
    }

    #[tool(output_schema = false)]
    fn unsaid() -> u8 {
        1
    }

    #[tool]
    fn bare() -> Bare {
        Bare
    }

    #[tool]
    fn text() -> Option<&'static str> {
        None
    }

    #[test]
    fn the_value_has_a_schema_where_its_type_has_one() {
        let (_, schema) = ready(tools![report]);
        let schema = schema.unwrap_or_default();
        assert_eq!(schema["properties"]["count"]["description"], "How many.");
        // The form that is written, and not the one that is read.
        assert!(schema["properties"]["remark"].is_object(), "{schema}");
        assert!(schema["properties"]["parts"].is_object(), "{schema}");
        assert_eq!(schema["properties"]["parts"]["items"], json!({ "$ref": "#" }));
        assert_eq!(ready(tools![text]).1, Some(json!({ "type": ["string", "null"], "title": "Nullable_string" })));
        assert_eq!(ready(tools![bare]).1, None);
        assert_eq!(ready(tools![unsaid]).1, None);
        assert_eq!(unsaid(), 1);
        let _ = (report(), bare(), text());
    }
}
