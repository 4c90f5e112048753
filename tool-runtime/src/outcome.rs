//! What a call came to: for the model, for the program, and how it got there.

use std::{
    fmt,
    sync::{Arc, LazyLock, OnceLock},
    time::Duration,
};

use serde::{Serialize, Serializer, ser::SerializeStruct};
use serde_json::{Map, Value};

use crate::{
    artifact::ArtifactRef,
    content::Content,
    error::Problem,
    part::{MediaKind, Part},
    policy::{Policy, TruncationStrategy},
    redact::Redactor,
    stream::Streamed,
    value::Output,
};

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// The tool returned a value.
    Ok,
    /// The tool returned an error.
    ToolError,
    /// The arguments did not fit; the tool was not run.
    InvalidArguments,
    /// No such tool.
    UnknownTool,
    /// The tool panicked.
    Panicked,
    /// The tool did not finish within its `timeout`.
    TimedOut,
    /// The call was cancelled.
    Cancelled,
    /// The call was not approved, was one too many of the same, or can't be run this way; the tool was not run.
    Blocked,
    /// Too many blocking tools are running, or a call that must not wait found no place
    /// ([`ToolSpec::max_concurrent`](crate::ToolSpec::max_concurrent)); the tool was not run.
    Busy,
    /// The result was not safe to show.
    Withheld,
    /// The result can't be turned into JSON.
    Unserialisable,
}

/// Where the text that the model reads came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViewSource {
    /// The full result.
    Full,
    /// `ToolResult::model_output`.
    ModelOutput,
    /// The tool's `to_model_output` hook.
    Hook,
    /// Content parts.
    Content,
    /// An error.
    Error,
}

/// What happened to a result on its way to the model. All sizes are in characters (Unicode scalar values).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Receipt {
    /// Where the view came from.
    pub view_source: ViewSource,
    /// The full result, sanitised; `None` when nobody looked at it.
    pub full_chars: Option<usize>,
    /// The full result as the tool returned it; `None` when nobody looked at it.
    pub raw_chars: Option<usize>,
    /// The view before it was cut.
    pub view_chars: usize,
    /// The part of the view that is shown, cut marker included.
    pub shown_chars: usize,
    /// Everything the model reads.
    pub model_chars: usize,
    /// The same in tokens, where the tool has a limit in tokens (`max_result_tokens`).
    pub model_tokens: Option<usize>,
    /// How often the tool was begun: 0 where it was not run, more than 1 where it was tried again
    /// ([`ToolSpec::retries`](crate::ToolSpec::retries)).
    pub attempts: u32,
    /// Whether the tool is still running behind the outcome.
    pub still_running: bool,
    /// Whether text was cut.
    pub truncated: bool,
    /// How it was cut.
    pub strategy: Option<TruncationStrategy>,
    /// The full result in the store.
    pub artifact: Option<ArtifactRef>,
    /// `None`: nothing had to be saved. Otherwise `saved`, or the reason why not.
    pub saved: Option<String>,
    /// Whether the text stands in a fence.
    pub fenced: bool,
    /// Characters removed from external text.
    pub removed: usize,
    /// Characters of tag-like text in external text that were made harmless.
    pub defused: usize,
    /// Images, audio and files that were too large for the model (`max_media_bytes`), in their order.
    pub left_out: Vec<LeftOut>,
    /// Repairs, faults of hooks and the like, a sentence each.
    pub notes: Vec<String>,
    /// From the start of the call to its outcome; written in milliseconds.
    pub duration: Duration,
}

/// Media that the model did not get, because they were too large.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// What it is.
    pub kind: MediaKind,
    /// Its media type as it is shown.
    pub media_type: String,
    /// How large it is.
    pub bytes: usize,
    /// All of it in the store.
    pub artifact: Option<ArtifactRef>,
    /// `saved`, or the reason why not.
    pub saved: String,
}

impl Serialize for LeftOut {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("LeftOut", 5)?;
        object.serialize_field("kind", self.kind.name())?;
        object.serialize_field("media_type", &self.media_type)?;
        object.serialize_field("bytes", &self.bytes)?;
        object.serialize_field("artifact", &self.artifact)?;
        object.serialize_field("saved", &self.saved)?;
        object.end()
    }
}

impl Status {
    /// In snake case, for traces.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ToolError => "tool_error",
            Self::InvalidArguments => "invalid_arguments",
            Self::UnknownTool => "unknown_tool",
            Self::Panicked => "panicked",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
            Self::Blocked => "blocked",
            Self::Busy => "busy",
            Self::Withheld => "withheld",
            Self::Unserialisable => "unserialisable",
        }
    }
}

impl ViewSource {
    /// In snake case, as it is serialised.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::ModelOutput => "model_output",
            Self::Hook => "hook",
            Self::Content => "content",
            Self::Error => "error",
        }
    }
}

impl Serialize for Receipt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Receipt", 18)?;
        object.serialize_field("view_source", self.view_source.name())?;
        object.serialize_field("full_chars", &self.full_chars)?;
        object.serialize_field("raw_chars", &self.raw_chars)?;
        object.serialize_field("view_chars", &self.view_chars)?;
        object.serialize_field("shown_chars", &self.shown_chars)?;
        object.serialize_field("model_chars", &self.model_chars)?;
        object.serialize_field("model_tokens", &self.model_tokens)?;
        object.serialize_field("attempts", &self.attempts)?;
        object.serialize_field("still_running", &self.still_running)?;
        object.serialize_field("truncated", &self.truncated)?;
        object.serialize_field("strategy", &self.strategy.map(TruncationStrategy::name))?;
        object.serialize_field("artifact", &self.artifact)?;
        object.serialize_field("saved", &self.saved)?;
        object.serialize_field("fenced", &self.fenced)?;
        object.serialize_field("removed", &self.removed)?;
        object.serialize_field("defused", &self.defused)?;
        object.serialize_field("left_out", &self.left_out)?;
        object.serialize_field("notes", &self.notes)?;
        object.serialize_field("duration", &millis(self.duration))?;
        object.end()
    }
}

/// Milliseconds with three digits behind the point.
fn millis(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

impl Receipt {
    pub(crate) fn new(view_source: ViewSource) -> Self {
        Self {
            view_source,
            full_chars: None,
            raw_chars: None,
            view_chars: 0,
            shown_chars: 0,
            model_chars: 0,
            model_tokens: None,
            attempts: 0,
            still_running: false,
            truncated: false,
            strategy: None,
            artifact: None,
            saved: None,
            fenced: false,
            removed: 0,
            defused: 0,
            left_out: Vec::new(),
            notes: Vec::new(),
            duration: Duration::ZERO,
        }
    }
}

/// The text for the model; a trusted text that needed nothing is not copied.
#[derive(Clone, Debug)]
pub(crate) enum ModelText {
    Own(String),
    SameAsOutput,
}

/// What a call came to. There is one for every call, whatever happened.
#[derive(Clone, Debug)]
#[must_use]
pub struct Outcome {
    pub(crate) call_id: Arc<str>,
    pub(crate) tool_name: Arc<str>,
    pub(crate) status: Status,
    pub(crate) shown: Box<Shown>,
    pub(crate) output: Output,
    /// What the tool noted beside its value.
    pub(crate) metadata: Option<Box<Map<String, Value>>>,
    pub(crate) problems: Vec<Problem>,
    /// What each dialect calls the tool, in their order; `None` where that is its own name.
    pub(crate) wire_names: Option<Arc<[Box<str>]>>,
    pub(crate) promise: Option<Arc<Promise>>,
}

/// What the model reads, and how it came to that. In a box, because an outcome is handed on many times.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) text: ModelText,
    /// Of a multimodal result.
    pub(crate) content: Option<Content>,
    text_part: OnceLock<[Part; 1]>,
    pub(crate) receipt: Receipt,
}

impl Shown {
    pub(crate) fn new(text: ModelText, content: Option<Content>, receipt: Receipt) -> Box<Self> {
        Box::new(Self { text, content, text_part: OnceLock::new(), receipt })
    }
}

/// A value that MCP was promised as JSON, by the tool's output schema. Nothing is serialised before somebody asks.
#[derive(Clone)]
pub(crate) struct Promise {
    pub(crate) policy: Policy,
    pub(crate) redactors: Arc<[Box<dyn Redactor>]>,
    /// `None` where nothing is to be cleaned or counted.
    pub(crate) keep: Option<KeepPromise>,
}

/// The value as it may stand beside the text, or why it may not.
pub(crate) type KeepPromise = fn(&Promise, &Output) -> Result<Value, String>;

impl fmt::Debug for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Promise").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl Outcome {
    /// The provider's id of the call, unchanged.
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// The tool that ran; the name the model wrote where there is no such tool.
    pub fn tool_name(&self) -> &str {
        &self.tool_name
    }

    /// The tool's name in the `dialect`-th dialect.
    pub(crate) fn wire_name(&self, dialect: usize) -> &str {
        self.wire_names.as_ref().and_then(|names| names.get(dialect)).map_or(&self.tool_name, |name| name)
    }

    /// The value as JSON where that was promised and the call went well; an error says why it is not there.
    pub(crate) fn promised_json(&self) -> Option<Result<Value, String>> {
        let promise = self.promise.as_ref().filter(|_| !self.is_error())?;
        let Some(keep) = promise.keep else {
            return Some(match self.output.try_json() {
                Ok(value @ Value::Object(_)) => Ok(value),
                Ok(_) => Err("it is no JSON object".to_owned()),
                Err(_) => Err("it can't be turned into JSON".to_owned()),
            });
        };
        Some(keep(promise, &self.output))
    }

    /// How the call ended.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Whether the call ended otherwise than [`Status::Ok`].
    pub fn is_error(&self) -> bool {
        self.status != Status::Ok
    }

    /// What was wrong with the arguments, in the order of the schema.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The whole text the model reads.
    pub fn model_text(&self) -> &str {
        match &self.shown.text {
            ModelText::Own(text) => text,
            ModelText::SameAsOutput => self.output.as_text().unwrap_or_default(),
        }
    }

    /// The same as content parts.
    pub fn parts(&self) -> &[Part] {
        match &self.shown.content {
            Some(content) => content.parts(),
            None => self.shown.text_part.get_or_init(|| [Part::text(self.model_text())]),
        }
    }

    /// The full result.
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// What the tool noted beside its value ([`ToolResult::metadata`](crate::ToolResult::metadata)), for display and
    /// for the program. The model never reads any of it, also where a hook blocked the result. Empty where the tool did
    /// not run or noted nothing.
    ///
    /// ```
    /// use tool_runtime::{Registry, ToolCall, ToolResult, tool, tools};
    ///
    /// /// Counts the rows.
    /// #[tool]
    /// fn count() -> ToolResult<u64> {
    ///     ToolResult::new(3).metadata("rows_read", 4096)
    /// }
    ///
    /// # fn main() -> Result<(), tool_runtime::BuildError> {
    /// let registry = Registry::builder().tools(tools![count]).build()?;
    /// let outcome = registry.call_blocking(ToolCall::new("1", "count", "{}"));
    /// assert_eq!(outcome.metadata()["rows_read"], 4096);
    /// assert_eq!(outcome.model_text(), "3");
    /// # Ok(())
    /// # }
    /// ```
    pub fn metadata(&self) -> &Map<String, Value> {
        static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
        self.metadata.as_deref().unwrap_or(&NOTHING)
    }

    /// The full result in the store, if it was saved.
    pub fn artifact(&self) -> Option<&ArtifactRef> {
        self.shown.receipt.artifact.as_ref()
    }

    /// All that is in the store of this result.
    pub(crate) fn artifacts(&self) -> Vec<ArtifactRef> {
        let receipt = self.receipt();
        let left_out = receipt.left_out.iter().filter_map(|media| media.artifact.clone());
        let mut all: Vec<ArtifactRef> = receipt.artifact.clone().into_iter().chain(left_out).collect();
        // Beside content parts, it is not what the receipt is about.
        all.extend(self.output.as_stream().and_then(Streamed::artifact).filter(|streamed| !all.contains(streamed)));
        all
    }

    /// What happened on the way.
    pub fn receipt(&self) -> &Receipt {
        &self.shown.receipt
    }
}
