//! A tool call as it comes from the model.

use std::{borrow::Cow, sync::Arc};

use serde_json::Value;

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
    pub(crate) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Json(json) => Cow::Owned(json.to_string()),
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
#[derive(Clone, Debug)]
#[must_use]
pub struct ToolCall {
    pub(crate) id: Arc<str>,
    pub(crate) name: String,
    pub(crate) arguments: Arguments,
    pub(crate) incomplete: bool,
}

impl ToolCall {
    /// A call with the provider's id, the tool's name and its arguments.
    pub fn new(id: impl Into<Arc<str>>, name: impl Into<String>, arguments: impl Into<Arguments>) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into(), incomplete: false }
    }

    /// Says that the provider cut the reply (`finish_reason: "length"`, `stop_reason: "max_tokens"`). Such a call
    /// is not run, even where its arguments parse.
    pub fn incomplete(mut self, incomplete: bool) -> Self {
        self.incomplete = incomplete;
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

    /// The arguments the model wrote.
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
    /// Serde's words: may name Rust types, so it is never shown as it is.
    pub(crate) message: String,
}
