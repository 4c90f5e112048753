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
    callable::{Entry, Origin, RegisteredTool},
    dialect,
    error::{BuildError, BuildReason},
    fence::Key,
    gate::Gate,
    index::{self, Places},
    policy::{ArtifactTools, Limit, Policy, READERS},
    schema,
    stages::Stages,
    thread::Blocking,
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
        let may_save = !matches!(self.store, Storage::Without);
        let reserved = if may_save && self.artifact_tools != ArtifactTools::Never { READERS } else { &[] };
        for name in reserved {
            if let Some((_, other)) = named.iter().find(|(other, _)| &*other.name == *name) {
                let message = format!(
                    "the tool at {other} is called `{name}`, like one of those that read artifacts; give it another \
                     `name`, or leave those out with `.artifact_tools(ArtifactTools::Never)`"
                );
                reasons.push((BuildReason::DuplicateTool, message));
            }
        }
        let store = self.take_store();
        // With a limit of 0 nothing is built.
        if let (Some(store), Some(make), true) = (&store, self.readers, reasons.is_empty()) {
            for tool in make(store, &self.defaults()) {
                named.extend(self.install(&tool, &mut reasons));
            }
        }
        index::sort_by_text(&mut named, |(tool, _)| &tool.name);
        self.speak(&mut named, reserved, &mut reasons);
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
        let (stages, defaults) = (self.all_stages(), self.defaults());
        let mut tools = Vec::with_capacity(named.len());
        for (tool, _) in named {
            tools.push(Arc::new(tool));
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
                stages,
                defaults,
                artifact_tools: self.artifact_tools,
                removed: Vec::new(),
                reading: OnceLock::new(),
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

    /// Gives each tool its names in all dialects, and says what the declared ones can't express. No tool is mapped to a
    /// reserved name.
    fn speak(
        &self,
        named: &mut [(Installed, Origin)],
        reserved: &[&'static str],
        reasons: &mut Vec<(BuildReason, String)>,
    ) {
        let mut names = Vec::with_capacity(named.len());
        for (tool, _) in &*named {
            names.push(&*tool.name);
        }
        for name in reserved {
            if !names.contains(name) {
                names.push(name);
            }
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
        for (dialect, refusals) in &self.dialects {
            for (tool, _) in &*named {
                for message in refusals(*dialect, &tool.described(self.strict)) {
                    reasons.push((BuildReason::Inexpressible, message));
                }
            }
        }
    }

    /// What the settings and all tools ask for.
    fn all_stages(&self) -> Stages {
        let mut stages = self.stages;
        for tool in &self.tools {
            if let Entry::Ready { spec, .. } = &tool.0 {
                stages = stages.and(spec.stages);
            }
        }
        stages
    }

    fn take_store(&mut self) -> Option<Arc<dyn ArtifactStore>> {
        match (std::mem::replace(&mut self.store, Storage::Without), self.seed) {
            (Storage::Given(store), _) => Some(store),
            (Storage::Without, _) => None,
            // Where nothing asks for more than plain presenting, there is nothing to be saved.
            (Storage::Default, seed) => self.all_stages().presenting.map(|asked| (asked.default_store)(seed)),
        }
    }

    /// What holds for tools that say nothing else.
    fn defaults(&self) -> Policy {
        Policy {
            limit: self.default_limit,
            strategy: self.strategy,
            snap: self.snap,
            field_limit: self.field_limit,
            scope: self.scope,
            fence: self.fence,
            media_bytes: Some(self.media_bytes),
            ..Policy::default()
        }
    }

    /// The tool under this registry's settings, or why there is none.
    fn install(&self, tool: &RegisteredTool, reasons: &mut Vec<(BuildReason, String)>) -> Option<(Installed, Origin)> {
        let (spec, needs, origin) = match &tool.0 {
            Entry::Ready { spec, needs, origin, .. } => (spec, needs, origin),
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
            let ty = need.type_name;
            let instead = if self.state.has_named(&format!("alloc::sync::Arc<{ty}>")) {
                "there is one in an `Arc`, which is another type: give `.state(..)` the value itself, which all calls share \
                 anyway, or let the parameter be an `&Arc<..>`"
            } else {
                "add it with `.state(..)`"
            };
            let message =
                format!("tool `{name}`: parameter `{}` needs state of type `{ty}`; {instead}", need.parameter);
            reasons.push((BuildReason::MissingState, message));
        }
        match installed(tool, &self.defaults()) {
            Ok(installed) if reasons.len() == known => Some((installed, origin.clone())),
            Ok(_) => None,
            Err(problem) => {
                reasons.push((BuildReason::InvalidSchema, format!("tool `{name}`: {problem}")));
                None
            }
        }
    }
}

/// A tool with its own settings, and with these where it says nothing. An error says what is wrong with its schema.
pub(super) fn installed(tool: &RegisteredTool, defaults: &Policy) -> Result<Installed, String> {
    let (spec, schema, output_schema, callable) = match &tool.0 {
        Entry::Ready { spec, schema, output_schema, callable, .. } => (spec, schema, output_schema, callable),
        Entry::NotATool(message) => return Err(message.clone()),
    };
    Ok(Installed {
        name: spec.name().into(),
        wire_names: None,
        spec: Arc::clone(spec),
        schema: schema::normalise(Value::clone(schema))?,
        output_schema: output_schema.clone(),
        callable: Arc::clone(callable),
        policy: Policy {
            limit: match spec.limit {
                Limit::Inherit => defaults.limit,
                Limit::Unlimited => None,
                Limit::Chars(chars) => Some(chars),
            },
            tokens: spec.tokens,
            strategy: spec.strategy.or(defaults.strategy),
            snap: spec.snap.unwrap_or(defaults.snap),
            trust: spec.trust,
            keep: spec.keep,
            yields: spec.yields,
            media_bytes: spec.media_bytes.or(defaults.media_bytes),
            ..*defaults
        },
        gate: spec.max_concurrent.map(|most| Arc::new(Gate::new(most))),
        promise: OnceLock::new(),
    })
}

/// Wider than any provider, for tools that come from elsewhere: dialects get the name mapped. Narrow enough to stand
/// in a line of text.
fn is_valid_name(name: &str) -> bool {
    (1..=128).contains(&name.chars().count())
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | ':' | '/'))
        && name.chars().any(|c| c != ' ')
}
