//! A fixed set of tools, with what applies to all of them.

mod build;
mod builder;

use std::{
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use serde_json::Value;

pub use self::builder::RegistryBuilder;
use crate::{
    approve::ErasedApprover,
    args::Limits,
    artifact::{self, ArtifactMeta, ArtifactStore},
    callable::{Callable, RegisteredTool},
    context::{CallContext, TypeMap},
    dialect::{Described, Dialect, Lint, Strict, WireNames},
    fence::Key,
    find::Names,
    gate::Gate,
    guard::LoopGuard,
    hook::ErasedHook,
    index, json,
    outcome::Promise,
    policy::{ArtifactTools, Policy, Yields},
    redact::Redactor,
    request::ToolCall,
    spec::ToolSpec,
    stages::Stages,
    stream::{Plan, Plans},
    thread::Blocking,
    truncate::Bounds,
};

/// An immutable set of tools. Cheap to clone; clones share the store.
#[derive(Clone)]
pub struct Registry {
    pub(crate) inner: Arc<Inner>,
}

/// What a registry is made of.
pub(crate) struct Inner {
    /// Sorted by name.
    pub(crate) tools: Vec<Arc<Installed>>,
    pub(crate) names: Names,
    pub(crate) limits: Limits,
    pub(crate) store: Option<Arc<dyn ArtifactStore>>,
    pub(crate) show_paths: bool,
    pub(crate) clock: Clock,
    pub(crate) key: Key,
    pub(crate) state: Arc<TypeMap>,
    pub(crate) approver: Option<Arc<dyn ErasedApprover>>,
    pub(crate) hooks: Arc<[Box<dyn ErasedHook>]>,
    pub(crate) redactors: Arc<[Box<dyn Redactor>]>,
    pub(crate) trace_content: bool,
    pub(crate) blocking: Blocking,
    pub(crate) loop_guard: Arc<LoopGuard>,
    pub(crate) turns: Turns,
    /// How many there have been, in this registry and in those made from it.
    sessions: Arc<AtomicU64>,
    pub(crate) strict: Strict,
    definitions: [OnceLock<Definitions>; Dialect::ALL.len()],
    /// What holds for tools that say nothing else.
    pub(crate) defaults: Policy,
    /// When there are tools that read artifacts.
    artifact_tools: ArtifactTools,
    /// Tools that are not to come back, by their names.
    removed: Vec<Box<str>>,
    /// The same with the tools that a session gets once it has saved something.
    reading: OnceLock<Arc<Inner>>,
    /// What its tools and settings ask for.
    pub(crate) stages: Stages,
}

/// Makes the tools that read what is in a store, where these settings hold.
pub(crate) type MakeReaders = fn(&Arc<dyn ArtifactStore>, &Policy) -> Vec<RegisteredTool>;

/// How the calls of one turn run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns {
    pub(crate) max_concurrent: usize,
    /// Characters that the model reads of all results together.
    pub(crate) budget: Option<usize>,
}

/// Of all tools, in one dialect.
pub(crate) struct Definitions {
    pub(crate) values: Vec<Value>,
    pub(crate) json: String,
}

/// A tool in its registry.
pub(crate) struct Installed {
    pub(crate) name: Arc<str>,
    pub(crate) wire_names: WireNames,
    pub(crate) spec: Arc<ToolSpec>,
    pub(crate) schema: Value,
    pub(crate) output_schema: Option<Arc<Value>>,
    pub(crate) callable: Arc<dyn Callable>,
    pub(crate) policy: Policy,
    /// Where its calls wait, if only so many may run at the same time.
    pub(crate) gate: Option<Arc<Gate>>,
    /// What MCP is promised of the value, once a call has asked.
    pub(crate) promise: OnceLock<Option<Arc<Promise>>>,
}

impl Installed {
    /// The name that the model was told: as registered, or as the call's provider takes it.
    pub(crate) fn told(&self, call: &ToolCall) -> &str {
        let names = self.wire_names.as_ref().zip(call.dialect);
        names.and_then(|(names, dialect)| names.get(dialect)).map_or(&self.name, |name| name)
    }

    pub(crate) fn described(&self, strict: Strict) -> Described<'_> {
        Described {
            spec: &self.spec,
            wire_names: &self.wire_names,
            schema: &self.schema,
            output_schema: self.output_schema.as_deref(),
            strict,
        }
    }
}

/// The names of all tools, and what dialects call them.
fn names_of<'t>(tools: impl Iterator<Item = &'t Installed> + Clone) -> Names {
    let mut names = Names::new(tools.clone().map(|tool| tool.spec.name()));
    for (index, tool) in tools.enumerate() {
        names.add(index, tool.wire_names.as_deref().unwrap_or_default());
    }
    names
}

/// The time that artifacts are named by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Clock {
    System,
    Fixed(u64),
}

impl Clock {
    /// Seconds since 1970-01-01 UTC.
    pub(crate) fn now(self) -> u64 {
        match self {
            Self::System => artifact::unix_now(),
            Self::Fixed(seconds) => seconds,
        }
    }
}

impl Inner {
    /// The names of these tools as the model was told them.
    pub(crate) fn told<'n>(&'n self, names: impl IntoIterator<Item = &'n str>, call: &ToolCall) -> Vec<&'n str> {
        let told = |name| self.names.find(name).map_or(name, |found| self.tools[found.index].told(call));
        names.into_iter().map(told).collect()
    }

    /// The same with other tools.
    fn with_tools(&self, tools: Vec<Arc<Installed>>, removed: Vec<Box<str>>) -> Self {
        Self {
            stages: tools.iter().fold(self.stages, |stages, tool| stages.and(tool.spec.stages)),
            names: names_of(tools.iter().map(|tool| &**tool)),
            tools,
            limits: self.limits,
            store: self.store.clone(),
            show_paths: self.show_paths,
            clock: self.clock,
            key: self.key.clone(),
            state: Arc::clone(&self.state),
            approver: self.approver.clone(),
            hooks: Arc::clone(&self.hooks),
            redactors: Arc::clone(&self.redactors),
            trace_content: self.trace_content,
            blocking: self.blocking.clone(),
            loop_guard: Arc::clone(&self.loop_guard),
            turns: self.turns,
            sessions: Arc::clone(&self.sessions),
            strict: self.strict,
            definitions: Default::default(),
            defaults: self.defaults,
            artifact_tools: self.artifact_tools,
            removed,
            reading: OnceLock::new(),
        }
    }

    /// The same with the tools that read what was saved, for a session that has saved something.
    pub(crate) fn reading(self: &Arc<Self>, make: MakeReaders) -> &Arc<Self> {
        let Some(store) = self.store.as_ref().filter(|_| self.artifact_tools == ArtifactTools::WhenSaved) else {
            return self;
        };
        self.reading.get_or_init(|| {
            let readers = make(store, &self.defaults);
            // They are ours, and nothing is wrong with them; a test makes them all.
            let readers = readers.iter().filter_map(|tool| build::installed(tool, &self.defaults).ok());
            let mut tools = self.tools.clone();
            tools.extend(readers.map(Arc::new).filter(|tool| !self.removed.iter().any(|name| **name == *tool.name)));
            index::sort_by_text(&mut tools, |tool| &tool.name);
            Arc::new(self.with_tools(tools, Vec::new()))
        })
    }

    pub(crate) fn definitions(&self, dialect: Dialect) -> &Definitions {
        self.definitions[dialect as usize].get_or_init(|| {
            let each = self.tools.iter().map(|tool| dialect.definition(&tool.described(self.strict))).collect();
            let values = dialect.tools(each);
            let json = json::text(&Value::from(values.clone()));
            Definitions { values, json }
        })
    }

    /// The id of a new session.
    pub(crate) fn next_session(&self) -> Arc<str> {
        self.key.session(self.sessions.fetch_add(1, Ordering::Relaxed)).into()
    }
}

impl Plans for Inner {
    fn plan(&self, context: &CallContext) -> Plan {
        let tool = context.tool_name();
        let policy = self.names.find(tool).map_or_else(Policy::default, |found| self.tools[found.index].policy);
        let Policy { limit, tokens, strategy, snap, .. } = policy;
        let bounds = Bounds { limit, tokens, strategy, snap, ..Bounds::default() };
        let meta = ArtifactMeta::text(tool, self.clock.now()).with_trust(policy.trust);
        let meta = match context.session() {
            Some(session) => meta.with_session(session),
            None => meta,
        };
        let (redactors, store) = (Arc::clone(&self.redactors), self.store.clone());
        Plan { limit: bounds.chars(), style: bounds.style(), opens: bounds.opens(), redactors, store, meta }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("tools", &self.tool_names().collect::<Vec<_>>()).finish_non_exhaustive()
    }
}

impl Registry {
    /// Starts a registry without tools.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// The tools' names, sorted.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.inner.tools.iter().map(|tool| tool.spec.name())
    }

    /// The same registry without this tool: it is not listed, and a call of it is
    /// [`Status::UnknownTool`](crate::Status::UnknownTool). Everything else is shared, the store too. Without such a
    /// tool nothing changes.
    ///
    /// ```
    /// use tool_runtime::{Registry, Status, ToolCall, tool, tools};
    ///
    /// #[tool]
    /// fn read() {}
    /// #[tool(destructive)]
    /// fn delete() {}
    ///
    /// # fn main() -> Result<(), tool_runtime::BuildError> {
    /// let registry = Registry::builder().tools(tools![read, delete]).build()?.without("delete");
    /// assert_eq!(registry.tool_names().collect::<Vec<_>>(), ["read"]);
    /// assert_eq!(registry.call_blocking(ToolCall::new("1", "delete", "{}")).status(), Status::UnknownTool);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        self.retaining(|tool| tool.spec.name() != name, Some(name))
    }

    /// The same registry with only the tools that have at least one of these tags ([`ToolSpec::tag`]). The tools that
    /// read artifacts stay: they serve whatever tools are left.
    #[must_use]
    pub fn only<'a>(&self, tags: impl IntoIterator<Item = &'a str>) -> Self {
        let tags: Vec<&str> = tags.into_iter().collect();
        let stays = |tool: &Installed| {
            tool.spec.yields == Yields::Excerpts || tool.spec.tags.iter().any(|tag| tags.contains(&&**tag))
        };
        self.retaining(stays, None)
    }

    fn retaining(&self, stays: impl Fn(&Installed) -> bool, without: Option<&str>) -> Self {
        let tools = self.inner.tools.iter().filter(|tool| stays(tool)).cloned().collect();
        let removed = self.inner.removed.iter().cloned().chain(without.map(Into::into)).collect();
        Self { inner: Arc::new(self.inner.with_tools(tools, removed)) }
    }

    /// What the request's `tools` array takes in this dialect, sorted by name; the same from run to run.
    /// For Gemini that is one element, with all tools in its `functionDeclarations`; for MCP the `tools` of `tools/list`.
    #[must_use]
    pub fn definitions(&self, dialect: Dialect) -> Vec<Value> {
        self.inner.definitions(dialect).values.clone()
    }

    /// The same as JSON text, made once.
    #[must_use]
    pub fn definitions_json(&self, dialect: Dialect) -> &str {
        &self.inner.definitions(dialect).json
    }

    /// What this dialect can't say of the tools, in the order of their names. Nothing of it fails a call: what a
    /// schema can't say is said in words, and a tool that can't be strict isn't. A tool without a description is noted
    /// too, in every dialect.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::{Dialect, DynTool, LintLevel, Registry, ToolResult, ToolSpec};
    ///
    /// # fn main() -> Result<(), tool_runtime::BuildError> {
    /// let schema = json!({ "type": "object", "properties": { "filter[id]": { "type": "integer" } } });
    /// let list = DynTool::new(ToolSpec::new("list", "Lists."), schema, |_, _| async { Ok(ToolResult::new(json!([]))) });
    /// let registry = Registry::builder().tool(list).build()?;
    /// assert!(registry.lint(Dialect::OpenAiChat).is_empty());
    /// let lints = registry.lint(Dialect::Anthropic);
    /// assert_eq!(lints[0].path, "/properties/filter[id]");
    /// assert_eq!(lints[0].level, LintLevel::Deny);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn lint(&self, dialect: Dialect) -> Vec<Lint> {
        self.inner.tools.iter().flat_map(|tool| dialect.lint(&tool.described(self.inner.strict))).collect()
    }
}
