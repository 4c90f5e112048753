//! Collects tools and settings, and reports everything that is wrong with them at once.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt,
    sync::{Arc, OnceLock},
};

use serde_json::Value;

use super::{Clock, Inner, Installed, Registry, Turns, names_of};
use crate::{
    approve::{Approver, ErasedApprover},
    args::Limits,
    artifact::ArtifactStore,
    context::TypeMap,
    dialect::{self, Dialect, LintLevel, Strict},
    error::{BuildError, BuildReason},
    fence::{self, Key},
    guard::LoopGuard,
    hook::{ErasedHook, Hook},
    link,
    policy::{ArtifactTools, Coercion, FenceStyle, Limit, Policy, Scope, Snap, TruncationStrategy, Yields},
    reader,
    redact::Redactor,
    schema,
    store::{LocalStore, MemoryStore},
    thread::Blocking,
    tool::{Entry, Origin, RegisteredTool},
};

/// Collects tools and settings; [`build`](Self::build) reports everything that is wrong with them at once.
#[must_use]
pub struct RegistryBuilder {
    tools: Vec<RegisteredTool>,
    default_limit: Option<usize>,
    strategy: Option<TruncationStrategy>,
    snap: Snap,
    field_limit: Option<usize>,
    scope: Scope,
    fence: FenceStyle,
    store: Storage,
    show_paths: bool,
    artifact_tools: ArtifactTools,
    limits: Limits,
    seed: Option<u64>,
    state: TypeMap,
    approver: Option<Arc<dyn ErasedApprover>>,
    hooks: Vec<Box<dyn ErasedHook>>,
    redactors: Vec<Box<dyn Redactor>>,
    trace_content: bool,
    most_blocking: usize,
    loop_guard: LoopGuard,
    turns: Turns,
    strict: Strict,
    dialects: Vec<Dialect>,
    reasons: Vec<(BuildReason, String)>,
}

enum Storage {
    Default,
    Given(Arc<dyn ArtifactStore>),
    Without,
}

impl Default for RegistryBuilder {
    fn default() -> Self {
        Self {
            tools: Vec::new(),
            default_limit: None,
            strategy: None,
            snap: Snap::default(),
            field_limit: None,
            scope: Scope::default(),
            fence: FenceStyle::default(),
            store: Storage::Default,
            show_paths: true,
            artifact_tools: ArtifactTools::default(),
            limits: Limits::default(),
            seed: None,
            state: TypeMap::default(),
            approver: None,
            hooks: Vec::new(),
            redactors: Vec::new(),
            trace_content: false,
            most_blocking: 64,
            loop_guard: LoopGuard::new(),
            turns: Turns { max_concurrent: 16, budget: None },
            strict: Strict::Off,
            dialects: Vec::new(),
            reasons: Vec::new(),
        }
    }
}

impl fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryBuilder").field("tools", &self.tools).finish_non_exhaustive()
    }
}

impl RegistryBuilder {
    /// Adds the tools that [`tools!`](crate::tools) found.
    pub fn tools(mut self, tools: impl IntoIterator<Item = RegisteredTool>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// Adds one tool: a [`Tool`](crate::Tool), a [`DynTool`](crate::DynTool) or a `handle` of `#[tool]`.
    #[track_caller]
    pub fn tool(mut self, tool: impl Into<RegisteredTool>) -> Self {
        self.tools.push(tool.into());
        self
    }

    /// Adds every `#[tool]` function that was linked into the program, from any crate.
    pub fn linked(mut self) -> Self {
        self.tools.extend(link::linked());
        self
    }

    /// Adds the linked `#[tool]` functions of these crates only; `-` and `_` are the same.
    pub fn linked_from<'a>(mut self, crates: impl IntoIterator<Item = &'a str>) -> Self {
        let crates: Vec<&str> = crates.into_iter().collect();
        self.tools.extend(link::linked_from(&crates));
        self
    }

    /// The limit in characters for tools that don't set `max_result_size`. Default: no limit. 0 is a [`BuildError`].
    pub fn default_max_result_size(mut self, chars: usize) -> Self {
        self.default_limit = Some(chars);
        self
    }

    /// How results over the limit are cut, for tools that don't set `truncation`. Default: JSON objects by
    /// [`Fields`](TruncationStrategy::Fields), everything else by [`HeadTail`](TruncationStrategy::HeadTail).
    pub fn truncation(mut self, strategy: TruncationStrategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// Where a cut may fall, for tools that don't set `snap`. Default: [`Snap::Chars`].
    pub fn snap(mut self, snap: Snap) -> Self {
        self.snap = snap;
        self
    }

    /// The longest string, in characters, that [`Fields`](TruncationStrategy::Fields) leaves whole. Default: the
    /// limit itself.
    pub fn field_limit(mut self, chars: usize) -> Self {
        self.field_limit = Some(chars);
        self
    }

    /// What a limit bounds. Default: [`Scope::Content`].
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// The marker round external text. Default: [`FenceStyle::Keyed`].
    pub fn fence(mut self, style: FenceStyle) -> Self {
        self.fence = style;
        self
    }

    /// Where full results are kept. Default: the directory in `TOOL_RUNTIME_STORE_DIR`, or without that variable a
    /// private directory that goes with the last clone of the registry ([`LocalStore::session`]).
    pub fn store(mut self, store: impl ArtifactStore) -> Self {
        self.store = Storage::Given(Arc::new(store));
        self
    }

    /// Keeps no full results; what is cut is lost to the model.
    pub fn without_store(mut self) -> Self {
        self.store = Storage::Without;
        self
    }

    /// Whether the header of a cut text names the file's path, or only the artifact's id. Default: the path.
    pub fn show_paths(mut self, show: bool) -> Self {
        self.show_paths = show;
        self
    }

    /// When there are tools to read saved results back with. Default: [`ArtifactTools::WhenSaved`]. Each answer is a
    /// page of at most [`default_max_result_size`](Self::default_max_result_size), or 4,000 characters where that is
    /// not set, and is never saved itself. A session reads what it saved, and what others saved where the store is
    /// shared; calls outside a session read what was saved outside any. Another tool of such a name is a
    /// [`BuildError`].
    pub fn artifact_tools(mut self, tools: ArtifactTools) -> Self {
        self.artifact_tools = tools;
        self
    }

    /// What is repaired in arguments. Default: [`Coercion::Lossless`].
    pub fn coercion(mut self, coercion: Coercion) -> Self {
        self.limits.coercion = coercion;
        self
    }

    /// The longest arguments in bytes. Default: 1 MiB.
    pub fn max_arguments_bytes(mut self, bytes: usize) -> Self {
        self.limits.bytes = bytes;
        self
    }

    /// The deepest nesting of arguments, the outermost object counted as 1. Default: 64; at most 127, which is as
    /// deep as `serde_json` reads.
    pub fn max_arguments_depth(mut self, depth: usize) -> Self {
        self.limits.depth = depth.min(127);
        self
    }

    /// Fixes what differs from run to run, for golden tests: the clock, the fence key, and, unless a store is
    /// given, artifacts in memory in place of a directory with a random name. **The fence key is known to
    /// everybody then**: not for production.
    pub fn deterministic(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Shared state for `#[inject]` parameters of type `&T` (or `Option<&T>`), one of each type. It is put into an
    /// [`Arc`] and dropped with the last clone of the registry.
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        if !self.state.insert(value) {
            let name = std::any::type_name::<T>();
            let message = format!(
                "two states of type `{name}` were given, and an `#[inject]` parameter could mean either; wrap one of \
                 them in a type of its own"
            );
            self.reasons.push((BuildReason::DuplicateState, message));
        }
        self
    }

    /// Who is asked before a tool with `approval` is run.
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Looks at every call; more than one run in the order in which they are added.
    pub fn hook(mut self, hook: impl Hook) -> Self {
        self.hooks.push(Box::new(hook));
        self
    }

    /// Takes secrets out of what the model reads and of what is stored; more than one run in the order in which they
    /// are added.
    pub fn redact(mut self, redactor: impl Redactor) -> Self {
        self.redactors.push(Box::new(redactor));
        self
    }

    /// The same for a closure, `|text| …` without types: only here can the compiler tell what it borrows from.
    pub fn redact_with(self, redactor: impl for<'t> Fn(&'t str) -> Cow<'t, str> + Send + Sync + 'static) -> Self {
        self.redact(redactor)
    }

    /// Lets trace spans carry arguments and what the model reads, both redacted, at most 4,096 characters of each.
    /// Default: names, sizes, status and timings only.
    pub fn trace_content(mut self) -> Self {
        self.trace_content = true;
        self
    }

    /// How many `blocking` tools may run at the same time, those that timed out and still run included; more are
    /// [`Status::Busy`](crate::Status::Busy). Default: 64.
    pub fn max_blocking(mut self, tools: usize) -> Self {
        self.most_blocking = tools;
        self
    }

    /// How sessions deal with a model that runs in circles. Default: [`LoopGuard::new`]. Calls outside a session are
    /// not watched.
    pub fn loop_guard(mut self, guard: LoopGuard) -> Self {
        self.loop_guard = guard;
        self
    }

    /// How many calls of one turn run at the same time ([`Registry::call_all`]). Default: 16; 0 counts as 1.
    pub fn max_concurrent(mut self, calls: usize) -> Self {
        self.turns.max_concurrent = calls.max(1);
        self
    }

    /// The most characters that the model reads of one turn, all results of a [`Registry::call_all`] together with
    /// their headers, fences and notices. The longest texts are cut first, and the full results saved. Default: no
    /// limit. 0 is a [`BuildError`].
    ///
    /// Headers, fences, notices and messages about arguments are never cut: a budget of less than some 300
    /// characters for each call may not be held.
    pub fn turn_budget(mut self, chars: usize) -> Self {
        self.turns.budget = Some(chars);
        self
    }

    /// Declares that the tools are given to this provider: then [`build`](Self::build) fails where the dialect can't
    /// express one of them, naming the tool, the path in its schema and the reason. May be given more than once.
    /// Other dialects work too, as well as they can; [`Registry::lint`] says how well.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        if !self.dialects.contains(&dialect) {
            self.dialects.push(dialect);
        }
        self
    }

    /// Which tools are given to `OpenAI` and Anthropic as `strict`. Default: those that ask for it. Other dialects
    /// have no strictness.
    pub fn strict(mut self, strict: Strict) -> Self {
        self.strict = strict;
        self
    }

    /// Makes the registry, or says everything that is wrong.
    pub fn build(mut self) -> Result<Registry, BuildError> {
        let mut reasons = std::mem::take(&mut self.reasons);
        if self.default_limit == Some(0) {
            let message = "`default_max_result_size(0)` would show nothing of any result; give at least 1";
            reasons.push((BuildReason::ZeroLimit, message.to_owned()));
        }
        if self.turns.budget == Some(0) {
            let message = "`turn_budget(0)` would show nothing of any result; give at least 1";
            reasons.push((BuildReason::ZeroLimit, message.to_owned()));
        }
        if !self.loop_guard.is_in_order() {
            let message = "the loop guard's counts are out of order; give `note` at least 2, `block` at least `note`, \
                           and `halt` at least `block`";
            reasons.push((BuildReason::InvalidLoopGuard, message.to_owned()));
        }
        let mut named: BTreeMap<String, (Installed, Origin)> = BTreeMap::new();
        for tool in &self.tools {
            match self.install(tool) {
                Err(wrong) => reasons.extend(wrong),
                Ok((installed, origin)) => match named.get(installed.spec.name()) {
                    // `tools!` and `linked` may both bring it.
                    Some((_, other)) if origin.is_same_function(other) => {}
                    Some((_, other)) => {
                        let name = installed.spec.name();
                        let message = format!(
                            "two tools are called `{name}`, one at {other} and one at {origin}; give one of them another `name`"
                        );
                        reasons.push((BuildReason::DuplicateTool, message));
                    }
                    None => {
                        named.insert(installed.spec.name().to_owned(), (installed, origin));
                    }
                },
            }
        }
        let store = self.take_store();
        for tool in store.iter().flat_map(|store| self.readers(store)) {
            match self.install(&tool) {
                Err(wrong) => reasons.extend(wrong),
                Ok((installed, origin)) => match named.get(installed.spec.name()) {
                    Some((_, other)) => {
                        let name = installed.spec.name();
                        let message = format!(
                            "the tool at {other} is called `{name}`, like one of those that read artifacts; give it \
                             another `name`, or leave those out with `.artifact_tools(ArtifactTools::Never)`"
                        );
                        reasons.push((BuildReason::DuplicateTool, message));
                    }
                    None => {
                        named.insert(installed.spec.name().to_owned(), (installed, origin));
                    }
                },
            }
        }
        reasons.extend(self.speak(&mut named));
        let key = match self.seed {
            Some(seed) => Key::from_seed(seed),
            None => Key::random().unwrap_or_else(|error| {
                let message = format!("the operating system gives no random key for the fence: {error}");
                reasons.push((BuildReason::NoEntropy, message));
                Key::from_seed(0)
            }),
        };
        if !reasons.is_empty() {
            return Err(BuildError::new(reasons));
        }
        let waits = |tool: &Arc<Installed>| {
            self.artifact_tools == ArtifactTools::WhenSaved && tool.spec.yields == Yields::Excerpts
        };
        let (readers, tools): (Vec<_>, Vec<_>) =
            named.into_values().map(|(tool, _)| Arc::new(tool)).partition(|tool| waits(tool));
        Ok(Registry {
            inner: Arc::new(Inner {
                names: names_of(tools.iter().map(|tool| &**tool)),
                tools,
                limits: self.limits,
                store,
                show_paths: self.show_paths,
                clock: self.seed.map_or(Clock::System, |seed| Clock::Fixed(1_700_000_000 + seed % 100_000_000)),
                key,
                state: Arc::new(self.state),
                approver: self.approver,
                hooks: self.hooks.into(),
                redactors: self.redactors.into(),
                trace_content: self.trace_content,
                blocking: Blocking::new(self.most_blocking),
                loop_guard: Arc::new(self.loop_guard),
                turns: self.turns,
                sessions: Arc::default(),
                strict: self.strict,
                definitions: Default::default(),
                readers,
                reading: OnceLock::new(),
            }),
        })
    }

    /// Gives each tool its names in all dialects, and says what the declared ones can't express.
    fn speak(&self, named: &mut BTreeMap<String, (Installed, Origin)>) -> Vec<(BuildReason, String)> {
        let names: Vec<&str> = named.keys().map(String::as_str).collect();
        match dialect::wire_names(&names) {
            Ok(names) => {
                for ((tool, _), names) in named.values_mut().zip(names) {
                    tool.wire_names = names;
                }
            }
            Err(name) => {
                let message = format!(
                    "tool `{name}`: no dialect has a name left for it, others were given those that it would be \
                     mapped to; give it another `name`"
                );
                return vec![(BuildReason::InvalidName, message)];
            }
        }
        let refused = |&dialect: &Dialect| {
            let lints = named.values().flat_map(move |(tool, _)| dialect.lint(&tool.described(self.strict)));
            lints.filter(|lint| lint.level == LintLevel::Deny).map(move |lint| lint.refusal(dialect))
        };
        self.dialects.iter().flat_map(refused).map(|message| (BuildReason::Inexpressible, message)).collect()
    }

    fn take_store(&mut self) -> Option<Arc<dyn ArtifactStore>> {
        match (std::mem::replace(&mut self.store, Storage::Without), self.seed) {
            (Storage::Given(store), _) => Some(store),
            (Storage::Without, _) => None,
            (Storage::Default, None) => Some(Arc::new(LocalStore::from_env())),
            (Storage::Default, Some(_)) => Some(Arc::new(MemoryStore::new(1 << 30))),
        }
    }

    /// The tools that read artifacts.
    fn readers(&self, store: &Arc<dyn ArtifactStore>) -> Vec<RegisteredTool> {
        if self.artifact_tools == ArtifactTools::Never || self.default_limit == Some(0) {
            return Vec::new();
        }
        let limit = self.default_limit.unwrap_or(reader::PAGE);
        let page = match self.scope {
            Scope::Content => limit,
            Scope::Total => {
                limit.saturating_sub(fence::overhead_chars(self.fence, reader::LONGEST_NAME) + reader::TITLE)
            }
        };
        reader::tools(store, limit, page.max(1))
    }

    fn install(&self, tool: &RegisteredTool) -> Result<(Installed, Origin), Vec<(BuildReason, String)>> {
        let Entry::Ready { spec, schema, output_schema, callable, needs, origin } = &tool.0 else {
            let Entry::NotATool(message) = &tool.0 else { return Err(Vec::new()) };
            return Err(vec![(BuildReason::NotATool, message.clone())]);
        };
        let name = spec.name();
        let mut reasons = Vec::new();
        if !is_valid_name(name) {
            let name = name.escape_debug();
            let message = format!(
                "`{name}` at {origin} can't be a tool's name; use 1 to 128 letters, digits, spaces and _ - . : /"
            );
            reasons.push((BuildReason::InvalidName, message));
        }
        if spec.limit == Limit::Chars(0) {
            let message = format!("tool `{name}`: a limit of 0 characters would show nothing; give at least 1");
            reasons.push((BuildReason::ZeroLimit, message));
        }
        if spec.tokens == Some(0) {
            let message = format!("tool `{name}`: a limit of 0 tokens would show nothing; give at least 1");
            reasons.push((BuildReason::ZeroLimit, message));
        }
        if spec.approval && self.approver.is_none() {
            let message = format!("tool `{name}` needs approval and nobody can give it; add `.approver(..)`");
            reasons.push((BuildReason::NoApprover, message));
        }
        for need in needs.iter().filter(|need| !self.state.has(need.kind)) {
            let message = format!(
                "tool `{name}`: parameter `{}` needs state of type `{}`; add it with `.state(..)`",
                need.parameter, need.type_name
            );
            reasons.push((BuildReason::MissingState, message));
        }
        let schema = match schema::normalise(Value::clone(schema)) {
            Ok(schema) if reasons.is_empty() => schema,
            Ok(_) => return Err(reasons),
            Err(problem) => {
                reasons.push((BuildReason::InvalidSchema, format!("tool `{name}`: {problem}")));
                return Err(reasons);
            }
        };
        let installed = Installed {
            name: name.into(),
            wire_names: None,
            spec: Arc::clone(spec),
            schema,
            output_schema: output_schema.clone(),
            callable: Arc::clone(callable),
            policy: Policy {
                limit: match spec.limit {
                    Limit::Inherit => self.default_limit,
                    Limit::Unlimited => None,
                    Limit::Chars(chars) => Some(chars),
                },
                tokens: spec.tokens,
                strategy: spec.strategy.or(self.strategy),
                snap: spec.snap.unwrap_or(self.snap),
                field_limit: self.field_limit,
                scope: self.scope,
                trust: spec.trust,
                keep: spec.keep,
                fence: self.fence,
                yields: spec.yields,
            },
        };
        Ok((installed, origin.clone()))
    }
}

/// Wider than any provider, for tools that come from elsewhere: dialects get the name mapped. Narrow enough to stand
/// in a line of text.
fn is_valid_name(name: &str) -> bool {
    (1..=128).contains(&name.chars().count())
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | ':' | '/'))
        && name.chars().any(|c| c != ' ')
}
