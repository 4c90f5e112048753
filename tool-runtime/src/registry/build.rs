//! From settings to a registry, or to everything that is wrong with them.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::{
    Clock, Inner, Installed, Registry,
    builder::{RegistryBuilder, Storage},
    names_of,
};
use crate::{
    artifact::ArtifactStore,
    dialect::{self, LintLevel},
    error::{BuildError, BuildReason},
    fence::{self, Key},
    gate::Gate,
    index::{self, Places},
    policy::{ArtifactTools, Limit, Policy, Scope, Yields},
    reader, schema,
    store::{LocalStore, MemoryStore},
    thread::Blocking,
    tool::{Entry, Origin, RegisteredTool},
};

impl RegistryBuilder {
    /// Makes the registry, or says everything that is wrong.
    pub fn build(mut self) -> Result<Registry, BuildError> {
        let mut reasons = std::mem::take(&mut self.reasons);
        self.judge_settings(&mut reasons);
        let mut named = Vec::new();
        for tool in self.first_of_each_name(&mut reasons) {
            named.extend(self.install(tool, &mut reasons));
        }
        let store = self.take_store();
        let readers = store.as_ref().map(|store| self.readers(store)).unwrap_or_default();
        for tool in &readers {
            let Some(reader) = self.install(tool, &mut reasons) else { continue };
            let name = &reader.0.name;
            if let Some((_, other)) = named.iter().find(|(other, _)| other.name == *name) {
                let message = format!(
                    "the tool at {other} is called `{name}`, like one of those that read artifacts; give it another \
                     `name`, or leave those out with `.artifact_tools(ArtifactTools::Never)`"
                );
                reasons.push((BuildReason::DuplicateTool, message));
            } else {
                named.push(reader);
            }
        }
        index::sort_by_text(&mut named, |(tool, _)| &tool.name);
        self.speak(&mut named, &mut reasons);
        let key = match self.seed {
            Some(seed) => Key::from_seed(seed),
            None => Key::random().unwrap_or_else(|error| {
                let message = format!("the operating system gives no random key for the fence: {error}");
                reasons.push((BuildReason::NoEntropy, message));
                Key::from_seed(0)
            }),
        };
        if reasons.is_empty() { Ok(self.finished(named, store, key)) } else { Err(BuildError::new(reasons)) }
    }

    fn judge_settings(&self, reasons: &mut Vec<(BuildReason, String)>) {
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
    }

    /// The registry, from what has been found right.
    fn finished(self, named: Vec<(Installed, Origin)>, store: Option<Arc<dyn ArtifactStore>>, key: Key) -> Registry {
        let (mut readers, mut tools) = (Vec::new(), Vec::new());
        for (tool, _) in named {
            let waits = self.artifact_tools == ArtifactTools::WhenSaved && tool.spec.yields == Yields::Excerpts;
            if waits { &mut readers } else { &mut tools }.push(Arc::new(tool));
        }
        Registry {
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
                engine: self.engine,
            }),
        }
    }

    /// The tools without those whose name was given before, which is a mistake but where it is the same function:
    /// `tools!` and `linked` may both bring it. Asked of all tools, whatever else is wrong with them.
    fn first_of_each_name(&self, reasons: &mut Vec<(BuildReason, String)>) -> Vec<&RegisteredTool> {
        let mut places = Places::new();
        let mut origins: Vec<&Origin> = Vec::new();
        let mut first = Vec::new();
        for tool in &self.tools {
            let Entry::Ready { spec, origin, .. } = &tool.0 else {
                first.push(tool);
                continue;
            };
            let name = spec.name();
            match places.get(name).map(|&place| origins[place]) {
                None => {
                    places.insert(name.to_owned(), origins.len());
                    origins.push(origin);
                    first.push(tool);
                }
                Some(other) if origin.is_same_function(other) => {}
                Some(other) => {
                    let message = format!(
                        "two tools are called `{name}`, one at {other} and one at {origin}; give one of them another \
                         `name`"
                    );
                    reasons.push((BuildReason::DuplicateTool, message));
                }
            }
        }
        first
    }

    /// Gives each tool its names in all dialects, and says what the declared ones can't express.
    fn speak(&self, named: &mut [(Installed, Origin)], reasons: &mut Vec<(BuildReason, String)>) {
        let mut names = Vec::with_capacity(named.len());
        for (tool, _) in &*named {
            names.push(&*tool.name);
        }
        match dialect::wire_names(&names) {
            Ok(names) => {
                for ((tool, _), names) in named.iter_mut().zip(names) {
                    tool.wire_names = names;
                }
            }
            Err(name) => {
                let message = format!(
                    "tool `{name}`: no dialect has a name left for it, others were given those that it would be \
                     mapped to; give it another `name`"
                );
                reasons.push((BuildReason::InvalidName, message));
                return;
            }
        }
        for &dialect in &self.dialects {
            for (tool, _) in &*named {
                for lint in dialect.lint(&tool.described(self.strict)) {
                    if lint.level == LintLevel::Deny {
                        reasons.push((BuildReason::Inexpressible, lint.refusal(dialect)));
                    }
                }
            }
        }
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
        reader::tools(store, &self.engine, limit, page.max(1))
    }

    /// The tool under this registry's settings, or why there is none.
    fn install(&self, tool: &RegisteredTool, reasons: &mut Vec<(BuildReason, String)>) -> Option<(Installed, Origin)> {
        let (spec, schema, output_schema, callable, needs, origin) = match &tool.0 {
            Entry::Ready { spec, schema, output_schema, callable, needs, origin } => {
                (spec, schema, output_schema, callable, needs, origin)
            }
            Entry::NotATool(message) => {
                reasons.push((BuildReason::NotATool, message.clone()));
                return None;
            }
        };
        let name = spec.name();
        let known = reasons.len();
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
        if spec.max_concurrent == Some(0) {
            let message = format!("tool `{name}`: `max_concurrent` of 0 would run no call; give at least 1");
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
            Ok(schema) if reasons.len() == known => schema,
            Ok(_) => return None,
            Err(problem) => {
                reasons.push((BuildReason::InvalidSchema, format!("tool `{name}`: {problem}")));
                return None;
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
                media_bytes: Some(spec.media_bytes.unwrap_or(self.media_bytes)),
            },
            gate: spec.max_concurrent.map(|most| Arc::new(Gate::new(most))),
            promise: OnceLock::new(),
        };
        Some((installed, origin.clone()))
    }
}

/// Wider than any provider, for tools that come from elsewhere: dialects get the name mapped. Narrow enough to stand
/// in a line of text.
fn is_valid_name(name: &str) -> bool {
    (1..=128).contains(&name.chars().count())
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | ':' | '/'))
        && name.chars().any(|c| c != ' ')
}
