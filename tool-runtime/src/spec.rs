//! What a tool says of itself.

use std::{borrow::Cow, time::Duration};

use serde_json::Value;

use crate::{
    policy::{Keep, Limit, Snap, TruncationStrategy, Trust, Yields},
    stages::Stages,
};

/// Name, description and policy of a tool.
///
/// ```
/// use tool_runtime::{ToolSpec, Trust};
///
/// let spec = ToolSpec::new("web_search", "Searches the web.").max_result_size(4000).trust(Trust::External);
/// assert_eq!(spec.name(), "web_search");
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ToolSpec {
    pub(crate) name: Cow<'static, str>,
    pub(crate) title: Option<Cow<'static, str>>,
    pub(crate) description: Cow<'static, str>,
    pub(crate) limit: Limit,
    pub(crate) tokens: Option<usize>,
    pub(crate) strategy: Option<TruncationStrategy>,
    pub(crate) snap: Option<Snap>,
    pub(crate) keep: Keep,
    pub(crate) trust: Trust,
    pub(crate) hints: Hints,
    pub(crate) timeout: Option<Duration>,
    pub(crate) blocking: bool,
    pub(crate) approval: bool,
    pub(crate) strict: bool,
    pub(crate) tags: Vec<Cow<'static, str>>,
    pub(crate) loop_key: LoopKey,
    pub(crate) yields: Yields,
    pub(crate) media_bytes: Option<usize>,
    pub(crate) max_concurrent: Option<usize>,
    pub(crate) retries: u32,
    pub(crate) stages: Stages,
}

/// Which arguments a session's loop guard compares, to tell whether a call repeats another.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum LoopKey {
    /// All of them.
    #[default]
    All,
    /// These alone; an array of names turns into this.
    Only(Vec<Cow<'static, str>>),
    /// All but these: request ids, timestamps and the like.
    Except(Vec<Cow<'static, str>>),
    /// What the function makes of the arguments. Where it panics, all of them.
    By(fn(&Value) -> Value),
}

impl LoopKey {
    /// All arguments but these.
    ///
    /// ```
    /// use tool_runtime::{LoopKey, ToolSpec};
    ///
    /// let spec = ToolSpec::new("search", "Searches.").loop_key(LoopKey::except(["request_id"]));
    /// # let _ = spec;
    /// ```
    pub fn except<N: Into<Cow<'static, str>>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::Except(names.into_iter().map(Into::into).collect())
    }
}

impl<N: Into<Cow<'static, str>>, const COUNT: usize> From<[N; COUNT]> for LoopKey {
    fn from(names: [N; COUNT]) -> Self {
        Self::Only(names.into_iter().map(Into::into).collect())
    }
}

impl From<fn(&Value) -> Value> for LoopKey {
    fn from(key: fn(&Value) -> Value) -> Self {
        Self::By(key)
    }
}

/// MCP's hints; `None` is unsaid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hints {
    /// The tool changes nothing.
    pub read_only: Option<bool>,
    /// The tool may destroy something.
    pub destructive: Option<bool>,
    /// A second call with the same arguments changes nothing more.
    pub idempotent: Option<bool>,
    /// The tool reaches beyond the program.
    pub open_world: Option<bool>,
}

impl ToolSpec {
    /// A trusted tool without a limit of its own.
    pub fn new(name: impl Into<Cow<'static, str>>, description: impl Into<Cow<'static, str>>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            limit: Limit::Inherit,
            tokens: None,
            strategy: None,
            snap: None,
            keep: Keep::OnCut,
            trust: Trust::Trusted,
            hints: Hints::default(),
            timeout: None,
            blocking: false,
            approval: false,
            strict: false,
            tags: Vec::new(),
            loop_key: LoopKey::All,
            yields: Yields::Results,
            media_bytes: None,
            max_concurrent: None,
            retries: 0,
            stages: Stages::NONE,
        }
    }

    /// The name as the model writes it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the model is told.
    pub fn description_text(&self) -> &str {
        &self.description
    }

    /// The hints.
    pub fn hints(&self) -> Hints {
        self.hints
    }

    /// A name for people.
    pub fn title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// No limit, whatever the registry's default is.
    pub fn unlimited(mut self) -> Self {
        self.limit = Limit::Unlimited;
        self
    }

    /// The most bytes of images, audio and files of a result that the model gets, together and before they are written
    /// as Base64; text doesn't count. Default: as the registry says
    /// ([`RegistryBuilder::max_media_bytes`](crate::RegistryBuilder::max_media_bytes)). With 0 it gets none.
    pub fn max_media_bytes(mut self, bytes: usize) -> Self {
        self.media_bytes = Some(bytes);
        self
    }

    /// How results over the limit are cut.
    pub fn truncation(mut self, strategy: TruncationStrategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// Where a cut may fall. Default: as the registry says.
    pub fn snap(mut self, snap: Snap) -> Self {
        self.snap = Some(snap);
        self
    }

    /// The tool changes nothing.
    pub fn read_only(mut self) -> Self {
        self.hints.read_only = Some(true);
        self
    }

    /// The tool may destroy something.
    pub fn destructive(mut self) -> Self {
        self.hints.destructive = Some(true);
        self
    }

    /// A second call with the same arguments changes nothing more.
    pub fn idempotent(mut self) -> Self {
        self.hints.idempotent = Some(true);
        self
    }

    /// The tool reaches beyond the program.
    pub fn open_world(mut self) -> Self {
        self.hints.open_world = Some(true);
        self
    }

    /// Providers that can are asked to keep to the schema to the letter.
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// A word to choose tools by.
    pub fn tag(mut self, tag: impl Into<Cow<'static, str>>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Which arguments tell whether a call repeats another: names, or a [`LoopKey`]. Default: all.
    pub fn loop_key(mut self, key: impl Into<LoopKey>) -> Self {
        self.loop_key = key.into();
        self
    }
}
