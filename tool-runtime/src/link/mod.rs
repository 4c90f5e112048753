//! How the tools that the macro made are found: by value, or all that are linked into the program.

mod table;

use std::any::Any;

pub use self::table::{MacroTool, Mode, Place, key_of};
use crate::tool::{Entry, RegisteredTool};

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
/// # Keys
///
/// | key | meaning |
/// |---|---|
/// | `name = ".."` | the tool's name; default: the function's |
/// | `title = ".."` | a name for people; default: none |
/// | `description = ".."` | what the model is told; default: the doc comment |
/// | `to_model_output = path` or closure | the compact view: takes `&Output`, returns text, JSON, [`ModelOutput`](crate::ModelOutput), or `Option` or `Result` of these |
/// | `max_result_size = N` or `none` | the most characters of a result that the model reads; default: the registry's |
/// | `truncation = head_tail`, `head` or `fields` | how longer results are cut; see [`TruncationStrategy`](crate::TruncationStrategy) |
/// | `keep = on_cut` or `always` | when the full result is saved; default: `on_cut` |
/// | `external` | the result comes from outside: it is sanitised and fenced |
/// | `read_only`, `destructive`, `idempotent`, `open_world` | hints for clients and guards; see [`Hints`](crate::Hints) |
/// | `handle = Name` | also makes a unit struct `Name`, which `.tool(Name)` takes |
/// | `crate = path` | where `tool_runtime` is; default: `::tool_runtime` |
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
/// # Results
///
/// `T`, `Result<T, E>`, [`ToolResult<T>`](crate::ToolResult) or `Result<ToolResult<T>, E>`, or an alias of one, where
/// `T` is `Serialize + Send + Sync + 'static` and `E` is `Display`.
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
}

/// A table among those that are linked into the program.
#[derive(Clone, Copy, Debug)]
pub struct Linked(pub &'static MacroTool);

inventory::collect!(Linked);

/// The tool that a function became; `path` is how the user wrote it.
pub fn find<F: Any>(function: &F, path: &'static str) -> RegisteredTool {
    let key = key_of(function);
    match tables().find(|table| (table.key)() == key) {
        Some(table) => table.register(),
        None => RegisteredTool(Entry::NotATool(format!("`{path}` is not a tool; add `#[tool]` to the function"))),
    }
}

/// All linked tools, in no particular order.
pub(crate) fn linked() -> impl Iterator<Item = RegisteredTool> {
    tables().map(MacroTool::register)
}

/// The linked tools of these crates, `-` and `_` alike.
pub(crate) fn linked_from(crates: &[&str]) -> impl Iterator<Item = RegisteredTool> {
    let crates: Vec<String> = crates.iter().map(|name| name.replace('-', "_")).collect();
    tables()
        .filter(move |table| {
            let home = table.place.module.split("::").next();
            crates.iter().any(|name| Some(name.as_str()) == home)
        })
        .map(MacroTool::register)
}

fn tables() -> impl Iterator<Item = &'static MacroTool> {
    inventory::iter::<Linked>.into_iter().map(|linked| linked.0)
}

#[cfg(test)]
#[allow(clippy::panic)]
mod tests {
    use super::*;
    use crate::tool;

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
}
