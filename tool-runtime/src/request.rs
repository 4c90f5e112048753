//! A tool call as it comes from the model.

use std::{borrow::Cow, fmt, ops::ControlFlow, sync::Arc};

use serde_json::Value;

use crate::{
    cancel::CancellationToken,
    context::{Listener, Progress, TypeMap},
    json::{self, Walk},
};

/// The arguments of a call: raw JSON text as the provider sent it, or a value already parsed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Arguments {
    /// Raw JSON text.
    Text(String),
    /// Parsed JSON. Raw text is better: parsing has already dropped duplicate keys.
    Json(Value),
}

impl Arguments {
    /// The JSON text: raw as it came, or written from the value.
    ///
    /// ```
    /// use tool_runtime::Arguments;
    ///
    /// assert_eq!(Arguments::from(r#"{"n": 1}"#).text(), r#"{"n": 1}"#);
    /// assert_eq!(Arguments::from(serde_json::json!({ "n": 1 })).text(), r#"{"n":1}"#);
    /// ```
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Json(json) => Cow::Owned(json::text(json)),
        }
    }

    /// The same, but for a value nested so deeply that copying or dropping it could overflow the stack: of that the
    /// text, up to a depth that no tool takes. So the call is refused like any other that is too deep.
    pub(crate) fn bounded(self) -> Self {
        match self {
            Self::Json(mut json) if json::is_deep(&json) => {
                let mut text = String::new();
                let mut push = |piece: &str| {
                    text.push_str(piece);
                    ControlFlow::Continue(())
                };
                // Where the writer stops is deeper than the arguments may be.
                let _ = json::write(&json, &mut Walk { push: &mut push, edit: None, non_finite: 0 });
                json::dismantle(&mut json);
                Self::Text(text)
            }
            same => same,
        }
    }
}

impl From<&str> for Arguments {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Arguments {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Value> for Arguments {
    fn from(json: Value) -> Self {
        Self::Json(json)
    }
}

/// One tool call.
#[derive(Clone)]
#[must_use]
pub struct ToolCall {
    pub(crate) id: Arc<str>,
    pub(crate) name: String,
    pub(crate) arguments: Arguments,
    pub(crate) incomplete: bool,
    /// The provider that it comes from, as its place in `Dialect::ALL`.
    pub(crate) dialect: Option<usize>,
    pub(crate) cancellation: Option<CancellationToken>,
    pub(crate) extensions: Option<Arc<TypeMap>>,
    pub(crate) progress: Option<Listener>,
    /// What hooks did to it, for the receipt.
    pub(crate) notes: Vec<String>,
}

impl fmt::Debug for ToolCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolCall")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("arguments", &self.arguments)
            .field("incomplete", &self.incomplete)
            .finish_non_exhaustive()
    }
}

impl ToolCall {
    /// A call with the provider's id, the tool's name and its arguments.
    pub fn new(id: impl Into<Arc<str>>, name: impl Into<String>, arguments: impl Into<Arguments>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into().bounded(),
            incomplete: false,
            dialect: None,
            cancellation: None,
            extensions: None,
            progress: None,
            notes: Vec::new(),
        }
    }

    /// Says that the provider cut the reply (`finish_reason: "length"`, `stop_reason: "max_tokens"`). Such a call
    /// is not run, even where its arguments parse.
    pub fn incomplete(mut self, incomplete: bool) -> Self {
        self.incomplete = incomplete;
        self
    }

    /// Lets this token stop the call: its outcome is then [`Status::Cancelled`](crate::Status::Cancelled).
    pub fn cancel(mut self, token: CancellationToken) -> Self {
        self.cancellation = Some(token);
        self
    }

    /// Gives the tool something that belongs to this call alone, by its type; a second value of one type replaces
    /// the first.
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        Arc::make_mut(self.extensions.get_or_insert_default()).replace(value);
        self
    }

    /// Listens to the tool's progress reports. Called on the tool's thread.
    pub fn progress(mut self, listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(listener));
        self
    }

    /// The provider's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The name the model wrote.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The arguments the model wrote. Parsed JSON nested too deeply for any tool has become text, cut at that depth.
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }
}

/// Arguments after the scan: one JSON object in which no key stands twice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawArguments<'a> {
    /// The whole object.
    pub(crate) text: &'a str,
    /// The raw value of each parameter in the order of [`Callable::names`](crate::tool::Callable::names).
    pub(crate) slots: &'a [Option<&'a str>],
}

/// A value that its parameter's type refused.
#[derive(Debug)]
pub(crate) struct Misfit {
    /// The parameter; `None` where the arguments are decoded as a whole.
    pub(crate) slot: Option<usize>,
    /// Serde's words: may name Rust types, so it is never shown as it is. Empty where only a limit refused the value.
    pub(crate) message: String,
}

impl Misfit {
    /// Whether a limit refused the value, and nothing is known against it from its type.
    pub(crate) fn is_of_limit(&self) -> bool {
        self.message.is_empty()
    }
}

/// The limits that one parameter's attributes set: keywords of a schema without its types.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    pub(crate) slot: usize,
    pub(crate) keywords: Value,
    pub(crate) pattern: Option<Arc<dyn Pattern>>,
}

/// A text's own grammar. A trait, so that no program without such a limit links an engine for it.
pub(crate) trait Pattern: fmt::Debug + Send + Sync {
    fn is_match(&self, text: &str) -> bool;
    /// For the model.
    fn as_str(&self) -> &str;
}

impl Limit {
    /// What is asked of a text beside its length, where this one does not keep it.
    pub(crate) fn refuses(&self, text: &str) -> Option<String> {
        let pattern = self.pattern.as_ref().filter(|pattern| !pattern.is_match(text))?;
        Some(format!("matching {}", pattern.as_str()))
    }
}
