//! Collects tools and settings, and reports everything that is wrong with them at once.

use std::{fmt, sync::Arc};

use super::{MakeReaders, Turns};
use crate::{
    approve::{Approver, ErasedApprover},
    args::Limits,
    artifact::ArtifactStore,
    callable::{IntoTool, RegisteredTool, ToolList},
    context::TypeMap,
    dialect::{Described, Dialect, Strict},
    error::BuildReason,
    guard::LoopGuard,
    hook::ErasedHook,
    policy::{ArtifactTools, Coercion, FenceStyle, MEDIA_BYTES, Scope, Snap, TruncationStrategy},
    redact::Redactor,
    stages::Stages,
};

/// Collects tools and settings; [`build`](Self::build) reports everything that is wrong with them at once.
#[must_use]
pub struct RegistryBuilder {
    pub(super) tools: Vec<RegisteredTool>,
    pub(crate) default_limit: Option<usize>,
    pub(super) media_bytes: usize,
    pub(super) strategy: Option<TruncationStrategy>,
    pub(super) snap: Snap,
    pub(super) field_limit: Option<usize>,
    pub(super) scope: Scope,
    pub(super) fence: FenceStyle,
    pub(super) store: Storage,
    pub(super) show_paths: bool,
    pub(super) artifact_tools: ArtifactTools,
    /// Where every registry and session has them.
    pub(super) readers: Option<MakeReaders>,
    pub(super) limits: Limits,
    pub(super) seed: Option<u64>,
    pub(super) state: TypeMap,
    pub(super) approver: Option<Arc<dyn ErasedApprover>>,
    pub(crate) hooks: Vec<Box<dyn ErasedHook>>,
    pub(crate) redactors: Vec<Box<dyn Redactor>>,
    pub(crate) trace_content: bool,
    pub(super) most_blocking: usize,
    pub(super) loop_guard: LoopGuard,
    pub(crate) turns: Turns,
    pub(super) strict: Strict,
    /// Those that the tools are given to, each with what says why a tool can't be: called through here alone, so that
    /// only a program that declares a dialect contains the conversion for this.
    pub(super) dialects: Vec<(Dialect, Refusals)>,
    pub(super) reasons: Vec<(BuildReason, String)>,
    pub(crate) stages: Stages,
}

/// Why a dialect can't express a tool.
type Refusals = fn(Dialect, &Described<'_>) -> Vec<String>;

pub(super) enum Storage {
    Default,
    Given(Arc<dyn ArtifactStore>),
    Without,
}

impl Default for RegistryBuilder {
    fn default() -> Self {
        Self {
            tools: Vec::new(),
            default_limit: None,
            media_bytes: MEDIA_BYTES,
            strategy: None,
            snap: Snap::default(),
            field_limit: None,
            scope: Scope::default(),
            fence: FenceStyle::default(),
            store: Storage::Default,
            show_paths: true,
            artifact_tools: ArtifactTools::default(),
            readers: None,
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
            stages: Stages::NONE,
        }
    }
}

impl fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryBuilder").field("tools", &self.tools).finish_non_exhaustive()
    }
}

impl RegistryBuilder {
    /// Adds the tools that [`tools!`](crate::tools) found, those of a value ([`IntoTools`](crate::IntoTools)), or any others
    /// that can be iterated over.
    pub fn tools(mut self, tools: impl ToolList) -> Self {
        self.tools.extend(tools);
        self
    }

    /// Adds one tool: a [`Tool`](crate::Tool), a [`DynTool`](crate::DynTool), a `handle` of `#[tool]`, or whatever else is
    /// `Into<RegisteredTool>`. Functions go through [`tools!`](crate::tools).
    #[track_caller]
    pub fn tool(mut self, tool: impl IntoTool) -> Self {
        self.tools.push(tool.into_tool());
        self
    }

    /// The most bytes of images, audio and files that the model gets of one result, together and before they are written
    /// as Base64, for tools that don't set their own. Default: 10 MiB, which is 14 MB in Base64; Gemini takes 20 MB in a
    /// request and others take more, so lower it where many such results stand in one conversation.
    ///
    /// Beyond it the largest are left out until the rest fits, never cut: a line says in place of each what it was, how
    /// large, and under which id all of it was saved.
    ///
    /// ```
    /// use tool_runtime::{MemoryStore, Part, Registry, ToolCall, tool, tools};
    ///
    /// /// Takes a screenshot.
    /// #[tool]
    /// fn screenshot() -> Vec<Part> {
    ///     vec![Part::text("two screens"), Part::image([0; 9000], "image/png"), Part::image([1; 900], "image/png")]
    /// }
    ///
    /// # fn main() -> Result<(), tool_runtime::BuildError> {
    /// let registry = Registry::builder()
    ///     .tools(tools![screenshot])
    ///     .max_media_bytes(1000)
    ///     .store(MemoryStore::new(1 << 20))
    ///     .deterministic(1)
    ///     .build()?;
    /// let outcome = registry.call_blocking(ToolCall::new("1", "screenshot", "{}"));
    /// let left_out = &outcome.receipt().left_out[0];
    /// let id = &left_out.artifact.as_ref().expect("it was saved").id;
    /// assert!(id.ends_with(".png"));
    /// assert_eq!(
    ///     outcome.model_text(),
    ///     format!(
    ///         "two screens\n\
    ///          [image left out: image/png, 9000 bytes; media may have 1000 bytes | full output: {id}]\n\
    ///          [image: image/png, 900 bytes]"
    ///     )
    /// );
    /// # Ok(())
    /// # }
    /// ```
    pub fn max_media_bytes(mut self, bytes: usize) -> Self {
        self.media_bytes = bytes;
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
    /// private directory that goes with the last clone of the registry ([`LocalStore::session`](crate::LocalStore::session)).
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

    /// What [`artifact_tools`](Self::artifact_tools) says, and what makes the tools.
    pub(crate) fn read_back(mut self, tools: ArtifactTools, make: MakeReaders) -> Self {
        self.artifact_tools = tools;
        self.readers = (tools == ArtifactTools::Always).then_some(make);
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

    /// How many calls of one turn run at the same time ([`Registry::call_all`](crate::Registry::call_all)), whatever
    /// their tools are; one tool has a limit of its own ([`ToolSpec::max_concurrent`](crate::ToolSpec::max_concurrent)).
    /// Default: 16; 0 counts as 1.
    pub fn max_concurrent(mut self, calls: usize) -> Self {
        self.turns.max_concurrent = calls.max(1);
        self
    }

    /// Declares that the tools are given to this provider: then [`build`](Self::build) fails where the dialect can't
    /// express one of them, naming the tool, the path in its schema and the reason. May be given more than once.
    /// Other dialects work too, as well as they can; [`Registry::lint`](crate::Registry::lint) says how well.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        if self.dialects.iter().all(|(declared, _)| *declared != dialect) {
            self.dialects.push((dialect, Dialect::refusals));
        }
        self
    }

    /// Which tools are given to `OpenAI` and Anthropic as `strict`. Default: those that ask for it. Other dialects
    /// have no strictness.
    pub fn strict(mut self, strict: Strict) -> Self {
        self.strict = strict;
        self
    }
}
