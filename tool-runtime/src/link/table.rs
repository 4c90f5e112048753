//! The static table that the macro writes for each tool, and the tool that it becomes.

use std::{any::TypeId, borrow::Cow, fmt, sync::Arc, time::Duration};

use serde_json::Value;

use super::{
    Need,
    given::{Given, This},
};
use crate::{
    callable::{Callable, Entry, Origin, RegisteredTool, Started},
    context::{self, CallContext},
    fields::{Describe, Fields, Purpose, Slots},
    policy::{Keep, Limit, TruncationStrategy, Trust, Yields},
    request::{self, Misfit, RawArguments},
    schema,
    spec::{Hints, LoopKey, ToolSpec},
    stages::Stages,
};

/// Decodes the arguments and starts the function; `None` where it did not start, and then the slots know why.
pub type Start = for<'a> fn(&mut Slots<'_>, Given<'a>) -> Option<Started<'a>>;

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

/// A [`LoopKey`] in a `static`.
#[derive(Clone, Copy, Debug)]
pub enum Compared {
    /// All arguments.
    All,
    /// These alone.
    Only(&'static [&'static str]),
    /// All but these.
    Except(&'static [&'static str]),
    /// What a function makes of them.
    By(fn(&Value) -> Value),
}

impl Compared {
    fn to_key(self) -> LoopKey {
        let owned = |names: &'static [&'static str]| names.iter().copied().map(Cow::Borrowed).collect();
        match self {
            Self::All => LoopKey::All,
            Self::Only(names) => LoopKey::Only(owned(names)),
            Self::Except(names) => LoopKey::Except(owned(names)),
            Self::By(function) => LoopKey::By(function),
        }
    }
}

/// Everything the macro knows of one function, in a `static`.
#[derive(Clone, Copy)]
pub struct MacroTool {
    pub(super) place: Place,
    pub(super) key: fn() -> TypeId,
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
    tokens: Option<usize>,
    media_bytes: Option<usize>,
    timeout: Option<Duration>,
    blocking: bool,
    approval: bool,
    strict: bool,
    tags: &'static [&'static str],
    loop_key: Compared,
    max_concurrent: Option<usize>,
    retries: u32,
    needs: &'static [Need],
    stages: Stages,
    /// The name of the method that gives the tools of its block, where the function needs a value.
    pub(super) into: Option<&'static str>,
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
            tokens: None,
            media_bytes: None,
            timeout: None,
            blocking: false,
            approval: false,
            strict: false,
            tags: &[],
            loop_key: Compared::All,
            max_concurrent: None,
            retries: 0,
            needs: &[],
            stages: Stages::NONE,
            into: None,
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
        self.stages = self.stages.with_presenting();
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
        self.stages = self.stages.with_presenting();
        self
    }

    /// `external`.
    #[must_use]
    pub const fn external(mut self) -> Self {
        self.trust = Trust::External;
        self.stages = self.stages.with_presenting();
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

    /// `max_result_tokens = ..`.
    #[must_use]
    pub const fn max_result_tokens(mut self, tokens: usize) -> Self {
        self.tokens = Some(tokens);
        self.stages = self.stages.with_presenting();
        self
    }

    /// `max_media_bytes = ..`.
    #[must_use]
    pub const fn max_media_bytes(mut self, bytes: usize) -> Self {
        self.media_bytes = Some(bytes);
        self
    }

    /// `timeout = ..`, in milliseconds.
    #[must_use]
    pub const fn timeout(mut self, millis: u64) -> Self {
        self.timeout = Some(Duration::from_millis(millis));
        self.stages = self.stages.with_running();
        self
    }

    /// `blocking`.
    #[must_use]
    pub const fn blocking(mut self) -> Self {
        self.blocking = true;
        self.stages = self.stages.with_running();
        self
    }

    /// `approval`.
    #[must_use]
    pub const fn approval(mut self) -> Self {
        self.approval = true;
        self.stages = self.stages.with_running();
        self
    }

    /// `strict`.
    #[must_use]
    pub const fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// `tags(..)`.
    #[must_use]
    pub const fn tags(mut self, tags: &'static [&'static str]) -> Self {
        self.tags = tags;
        self
    }

    /// `loop_key(..)`.
    #[must_use]
    pub const fn loop_key(mut self, key: Compared) -> Self {
        self.loop_key = key;
        self
    }

    /// `max_concurrent = ..`.
    #[must_use]
    pub const fn max_concurrent(mut self, calls: usize) -> Self {
        self.max_concurrent = Some(calls);
        self.stages = self.stages.with_running();
        self
    }

    /// `retries = ..`.
    #[must_use]
    pub const fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self.stages = self.stages.with_running();
        self
    }

    /// The `#[inject]` parameters.
    #[must_use]
    pub const fn needs(mut self, needs: &'static [Need]) -> Self {
        self.needs = needs;
        // A context can save what is streamed.
        self.stages = self.stages.with_presenting();
        self
    }

    /// A function with a receiver; its block's tools come with the method `into`.
    #[must_use]
    pub const fn method(mut self, into: &'static str) -> Self {
        self.into = Some(into);
        self
    }

    /// Makes a tool of a function without a receiver.
    pub fn register(&'static self) -> RegisteredTool {
        self.bind(Arc::new(()))
    }

    /// Makes a tool of a function that is called on `this`.
    pub(super) fn bind(&'static self, this: This) -> RegisteredTool {
        let mut fields = Fields::new();
        for (param, names) in self.params.iter().zip(self.names) {
            if let [name, ..] = names {
                param.describe(name, &mut fields);
            }
        }
        // A method of two values is two tools; a function is one, however often it is named.
        let place = self.place.to_string();
        let origin = if this.is::<()>() { Origin::Function(place, (self.key)()) } else { Origin::Line(place) };
        RegisteredTool(match fields.finish() {
            Ok((schema, limits)) => Entry::Ready {
                spec: Arc::new(self.spec()),
                schema: Arc::new(schema),
                output_schema: self.output_schema(&this).map(Arc::new),
                callable: Arc::new(Function { table: self, this, limits }),
                needs: self.needs.iter().filter_map(Need::of_registry).collect(),
                origin,
            },
            Err(faults) => Entry::NotATool(format!("tool `{}`, {}: {}", self.name, self.place, faults.join("; "))),
        })
    }

    /// The function says what it returns before it looks at its arguments, and without any it does not start.
    fn output_schema(&self, this: &This) -> Option<Value> {
        let mut slots = Slots::new(&[], Purpose::Check);
        let nobody = nobody();
        let _ = (self.start)(&mut slots, Given::new(this, &nobody));
        slots.returned().map(schema::of_output)
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
            tokens: self.tokens,
            strategy: self.strategy,
            snap: None,
            keep: self.keep,
            trust: self.trust,
            hints: self.hints,
            timeout: self.timeout,
            blocking: self.blocking,
            approval: self.approval,
            strict: self.strict,
            tags: self.tags.iter().copied().map(Cow::Borrowed).collect(),
            loop_key: self.loop_key.to_key(),
            yields: Yields::Results,
            media_bytes: self.media_bytes,
            max_concurrent: self.max_concurrent,
            retries: self.retries,
            stages: self.stages,
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

/// The function behind a table, with the value that it is called on.
struct Function {
    table: &'static MacroTool,
    this: This,
    limits: Vec<request::Limit>,
}

impl Callable for Function {
    fn names(&self) -> Option<&'static [&'static [&'static str]]> {
        Some(self.table.names)
    }

    fn limits(&self) -> &[request::Limit] {
        &self.limits
    }

    fn check(&self, args: RawArguments<'_>) -> Result<(), Vec<Misfit>> {
        let mut slots = Slots::new(args.slots, Purpose::Check);
        let nobody = nobody();
        // Slots for a check are never ready, so nothing starts.
        let _ = (self.table.start)(&mut slots, Given::new(&self.this, &nobody));
        let misfits = slots.into_misfits();
        if misfits.is_empty() { Ok(()) } else { Err(misfits) }
    }

    fn start<'a>(&'a self, args: RawArguments<'_>, ctx: &'a CallContext) -> Result<Started<'a>, Vec<Misfit>> {
        let mut slots = Slots::new(args.slots, Purpose::Run);
        match (self.table.start)(&mut slots, Given::new(&self.this, ctx)) {
            Some(started) => Ok(started),
            None => Err(slots.into_misfits()),
        }
    }

    fn is_sync(&self) -> bool {
        self.table.mode == Mode::Sync
    }
}

/// The context of a check: no tool sees it.
fn nobody() -> CallContext {
    CallContext::from(context::Parts::default())
}
