//! The static table that the macro writes for each tool, and how tables are found: by value, or all that are linked.

use std::{
    any::{Any, TypeId},
    borrow::Cow,
    fmt,
    sync::Arc,
};

use crate::{
    context::{self, CallContext},
    fields::{Describe, Fields, Purpose, Slots},
    policy::{Keep, Limit, TruncationStrategy, Trust},
    request::{Misfit, RawArguments},
    spec::{Hints, LoopKey, ToolSpec},
    tool::{Callable, Entry, Origin, RegisteredTool, Started},
};

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

/// Decodes the arguments and starts the function; `None` where it did not start, and then the slots know why.
pub type Start = for<'a> fn(&mut Slots<'_>, &'a CallContext) -> Option<Started<'a>>;

/// Where a function stands.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// `module_path!()`.
    pub module: &'static str,
    /// The function's name.
    pub function: &'static str,
    /// `line!()`.
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{} (line {})", self.module, self.function, self.line)
    }
}

/// Whether a function is `async`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It has finished when it returns.
    Sync,
    /// It returns a future.
    Async,
}

/// Everything the macro knows of one function, in a `static`.
#[derive(Clone, Copy)]
pub struct MacroTool {
    place: Place,
    key: fn() -> TypeId,
    mode: Mode,
    params: &'static [&'static dyn Describe],
    names: &'static [&'static [&'static str]],
    start: Start,
    name: &'static str,
    title: Option<&'static str>,
    description: Description,
    limit: Limit,
    strategy: Option<TruncationStrategy>,
    keep: Keep,
    trust: Trust,
    hints: Hints,
}

#[derive(Clone, Copy)]
enum Description {
    Text(&'static str),
    /// Doc comments as rustc joined them, because one was an `include_str!`.
    Docs(&'static str),
}

impl fmt::Debug for MacroTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MacroTool").field("name", &self.name).field("place", &self.place).finish_non_exhaustive()
    }
}

/// `key` of the function item `F`: one type for each function, whatever name it is imported by.
pub fn key_of<F: Any>(_function: &F) -> TypeId {
    TypeId::of::<F>()
}

impl MacroTool {
    /// A tool with the defaults of every key. `names` has each parameter's name and then its aliases.
    pub const fn new(
        name: &'static str,
        place: Place,
        key: fn() -> TypeId,
        mode: Mode,
        names: &'static [&'static [&'static str]],
        params: &'static [&'static dyn Describe],
        start: Start,
    ) -> Self {
        Self {
            place,
            key,
            mode,
            params,
            names,
            start,
            name,
            title: None,
            description: Description::Text(""),
            limit: Limit::Inherit,
            strategy: None,
            keep: Keep::OnCut,
            trust: Trust::Trusted,
            hints: Hints { read_only: None, destructive: None, idempotent: None, open_world: None },
        }
    }

    /// `title = ..`.
    #[must_use]
    pub const fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    /// `description = ..`, or doc comments that the macro could read.
    #[must_use]
    pub const fn description(mut self, description: &'static str) -> Self {
        self.description = Description::Text(description);
        self
    }

    /// Doc comments that only rustc could read.
    #[must_use]
    pub const fn docs(mut self, docs: &'static str) -> Self {
        self.description = Description::Docs(docs);
        self
    }

    /// `max_result_size = ..`, in characters.
    #[must_use]
    pub const fn max_result_size(mut self, chars: usize) -> Self {
        self.limit = Limit::Chars(chars);
        self
    }

    /// `max_result_size = none`.
    #[must_use]
    pub const fn unlimited(mut self) -> Self {
        self.limit = Limit::Unlimited;
        self
    }

    /// `truncation = ..`.
    #[must_use]
    pub const fn truncation(mut self, strategy: TruncationStrategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// `keep = ..`.
    #[must_use]
    pub const fn keep(mut self, keep: Keep) -> Self {
        self.keep = keep;
        self
    }

    /// `external`.
    #[must_use]
    pub const fn external(mut self) -> Self {
        self.trust = Trust::External;
        self
    }

    /// `read_only`.
    #[must_use]
    pub const fn read_only(mut self) -> Self {
        self.hints.read_only = Some(true);
        self
    }

    /// `destructive`.
    #[must_use]
    pub const fn destructive(mut self) -> Self {
        self.hints.destructive = Some(true);
        self
    }

    /// `idempotent`.
    #[must_use]
    pub const fn idempotent(mut self) -> Self {
        self.hints.idempotent = Some(true);
        self
    }

    /// `open_world`.
    #[must_use]
    pub const fn open_world(mut self) -> Self {
        self.hints.open_world = Some(true);
        self
    }

    /// Makes a tool of the table.
    pub fn register(&'static self) -> RegisteredTool {
        let mut fields = Fields::new();
        for (param, names) in self.params.iter().zip(self.names) {
            if let [name, ..] = names {
                param.describe(name, &mut fields);
            }
        }
        RegisteredTool(match fields.finish() {
            Ok(schema) => Entry::Ready {
                spec: Arc::new(self.spec()),
                schema: Arc::new(schema),
                output_schema: None,
                callable: Arc::new(Linked(self)),
                needs: Vec::new(),
                origin: Origin::Function(self.place.to_string()),
            },
            Err(faults) => Entry::NotATool(format!("tool `{}`, {}: {}", self.name, self.place, faults.join("; "))),
        })
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: Cow::Borrowed(self.name),
            title: self.title.map(Cow::Borrowed),
            description: match self.description {
                Description::Text(text) => Cow::Borrowed(text),
                Description::Docs(docs) => Cow::Owned(unindented(docs)),
            },
            limit: self.limit,
            strategy: self.strategy,
            keep: self.keep,
            trust: self.trust,
            hints: self.hints,
            timeout: None,
            blocking: false,
            approval: false,
            strict: false,
            tags: Vec::new(),
            loop_key: LoopKey::All,
        }
    }
}

/// Doc text without the indentation that all its lines share and without blank lines around it.
fn unindented(docs: &str) -> String {
    let indent = docs
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .min()
        .unwrap_or(0);
    let lines: Vec<&str> = docs.lines().map(|line| line.get(indent..).unwrap_or("").trim_end()).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// A table among those that are linked into the program.
#[derive(Clone, Copy, Debug)]
pub struct Linked(pub &'static MacroTool);

inventory::collect!(Linked);

impl Callable for Linked {
    fn names(&self) -> Option<&'static [&'static [&'static str]]> {
        Some(self.0.names)
    }

    fn check(&self, args: RawArguments<'_>) -> Result<(), Vec<Misfit>> {
        let mut slots = Slots::new(args.slots, Purpose::Check);
        let nobody = nobody();
        // Slots for a check are never ready, so nothing starts.
        let _ = (self.0.start)(&mut slots, &nobody);
        let misfits = slots.into_misfits();
        if misfits.is_empty() { Ok(()) } else { Err(misfits) }
    }

    fn start<'a>(&'a self, args: RawArguments<'_>, ctx: &'a CallContext) -> Result<Started<'a>, Vec<Misfit>> {
        let mut slots = Slots::new(args.slots, Purpose::Run);
        match (self.0.start)(&mut slots, ctx) {
            Some(started) => Ok(started),
            None => Err(slots.into_misfits()),
        }
    }

    fn is_sync(&self) -> bool {
        self.0.mode == Mode::Sync
    }
}

/// The context of a check: no tool sees it.
fn nobody() -> CallContext {
    CallContext::from(context::Parts::default())
}

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
#[allow(clippy::unwrap_used, clippy::panic, clippy::needless_pass_by_value)]
mod tests {
    use std::{borrow::Cow, path::Path};

    use serde_json::{Value, json};

    use super::*;
    use crate::{ToolResult, tool};

    fn ready(tool: &RegisteredTool) -> (&ToolSpec, &Value, &dyn Callable) {
        match &tool.0 {
            Entry::Ready { spec, schema, callable, .. } => (spec, schema, &**callable),
            Entry::NotATool(message) => panic!("{message}"),
        }
    }

    fn run(tool: &RegisteredTool, args: &str) -> Result<String, String> {
        let (.., callable) = ready(tool);
        let object: std::collections::BTreeMap<String, Box<serde_json::value::RawValue>> =
            serde_json::from_str(args).unwrap();
        let slots: Vec<Option<&str>> = callable
            .names()
            .unwrap()
            .iter()
            .map(|names| names.iter().find_map(|name| object.get(*name)).map(|raw| raw.get()))
            .collect();
        let args = RawArguments { text: args, slots: &slots };
        let checked = callable.check(args);
        let ctx = nobody();
        let returned = match callable.start(args, &ctx) {
            Ok(Started::Done(returned)) => {
                assert!(callable.is_sync());
                returned
            }
            Ok(Started::Later(future)) => {
                assert!(!callable.is_sync());
                tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
            }
            Err(misfits) => {
                assert_eq!(checked.unwrap_err().len(), misfits.len());
                return Err(misfits.iter().map(|m| format!("{:?} {}\n", m.slot.unwrap(), m.message)).collect());
            }
        };
        checked.unwrap();
        match returned.output {
            Ok(output) => Ok(match output.view() {
                Some(view) => format!("{view:?}"),
                None => output.text().into_owned(),
            }),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Adds.
    #[tool]
    fn add(
        /// First.
        a: i64,
        #[serde(default = "three")] b: i64,
        c: Option<u8>,
    ) -> i64 {
        a + b + i64::from(c.unwrap_or(0))
    }

    fn three() -> i64 {
        3
    }

    #[test]
    fn a_function_becomes_a_tool() {
        let [tool] = tools![add];
        let (spec, schema, _) = ready(&tool);
        assert_eq!((spec.name(), spec.description_text()), ("add", "Adds."));
        assert_eq!(schema["required"], json!(["a"]));
        assert_eq!(schema["properties"]["a"]["description"], "First.");
        assert_eq!(schema["properties"]["b"]["default"], 3);
        assert_eq!(run(&tool, r#"{"a": 1}"#).unwrap(), "4");
        assert_eq!(run(&tool, r#"{"a": 1, "b": 1, "c": 1}"#).unwrap(), "3");
        assert_eq!(run(&tool, r#"{"b": "x"}"#).unwrap_err().lines().count(), 2);
        assert_eq!(add(1, 2, None), 3);
    }

    #[tool(to_model_output = |text| text.get(..2))]
    async fn lent(
        a: &str,
        b: &[u8],
        c: Option<&str>,
        d: &Path,
        e: Cow<'_, str>,
        mut f: String,
    ) -> Result<String, std::fmt::Error> {
        f.push('!');
        if a.is_empty() {
            return Err(std::fmt::Error);
        }
        Ok(format!("{a} {b:?} {c:?} {} {e} {f}", d.display()))
    }

    #[test]
    fn arguments_are_lent() {
        let [tool] = tools![lent];
        let args = json!({"a": "xyz", "b": [1], "d": "/", "e": "e", "f": "f"}).to_string();
        assert_eq!(run(&tool, &args).unwrap(), r#"Some(Text("xy"))"#);
        assert!(run(&tool, &args.replace("xyz", "")).is_err());
    }

    #[tool]
    fn wrapped(fails: bool) -> Result<ToolResult<u8>, String> {
        if fails { Err("no".to_owned()) } else { Ok(ToolResult::new(1)) }
    }

    #[test]
    fn results_are_told_apart() {
        let [tool] = tools![wrapped];
        assert_eq!(run(&tool, r#"{"fails": false}"#).unwrap(), "1");
        assert_eq!(run(&tool, r#"{"fails": true}"#).unwrap_err(), "no");
    }

    #[test]
    fn what_is_no_tool_says_so() {
        let [tool] = tools![self::three];
        let Entry::NotATool(message) = &tool.0 else { panic!("{tool:?}") };
        assert_eq!(message, "`self::three` is not a tool; add `#[tool]` to the function");
    }

    #[test]
    fn linked_tools_are_found_by_crate() {
        let all = linked().count();
        assert!(all >= 3);
        assert_eq!(linked_from(&["tool-runtime"]).count(), all);
        assert_eq!(linked_from(&["tool_runtime", "other"]).count(), all);
        assert_eq!(linked_from(&["other"]).count(), 0);
    }
}
