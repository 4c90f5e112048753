//! What a tool returns: a value, with or without a view, content parts and metadata.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    json::{self, Fault},
    part::Part,
};

/// A view for the model: text, or JSON that is shown as compact text.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelOutput {
    /// Shown as it is.
    Text(String),
    /// Shown as compact JSON.
    Json(Value),
}

impl From<String> for ModelOutput {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for ModelOutput {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<std::borrow::Cow<'_, str>> for ModelOutput {
    fn from(text: std::borrow::Cow<'_, str>) -> Self {
        Self::Text(text.into_owned())
    }
}

impl From<Value> for ModelOutput {
    fn from(json: Value) -> Self {
        Self::Json(json)
    }
}

/// A value with what belongs to it: a view for the model, content parts, metadata; or a failure.
///
/// ```
/// use tool_runtime::{ToolResult, resolve_model_output, ModelOutput};
///
/// let result = ToolResult::new(vec![1, 2, 3]).model_output("3 numbers");
/// assert_eq!(resolve_model_output(&result), Some(&ModelOutput::from("3 numbers")));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct ToolResult<T> {
    pub(crate) output: Result<T, String>,
    /// Most results have none of it, and every result is moved a few times.
    pub(crate) beside: Option<Box<Beside>>,
}

/// What a result carries beside its value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Beside {
    pub(crate) model_output: Option<ModelOutput>,
    pub(crate) content: Vec<Part>,
    pub(crate) metadata: Map<String, Value>,
}

impl<T> ToolResult<T> {
    /// A success with this value.
    pub fn new(output: T) -> Self {
        Self { output: Ok(output), beside: None }
    }

    /// A failure; the model reads the message, whatever `model_output` says.
    pub fn failure(message: impl std::fmt::Display) -> Self {
        Self { output: Err(message.to_string()), beside: None }
    }

    /// What the model reads in place of the value.
    pub fn model_output(mut self, view: impl Into<ModelOutput>) -> Self {
        self.beside().model_output = Some(view.into());
        self
    }

    /// Content parts; the model reads these in place of the value, and no view is resolved.
    pub fn content(mut self, parts: Vec<Part>) -> Self {
        self.beside().content = parts;
        self
    }

    /// A fact for display and hooks; never shown to the model. In place of one that is nested deeper than 512 levels
    /// stands that it was.
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        let mut value = value.into();
        if json::is_too_deep(&value) {
            json::dismantle(&mut value);
            value = Fault::TooDeep.to_string().into();
        }
        self.beside().metadata.insert(key.into(), value);
        self
    }

    fn beside(&mut self) -> &mut Beside {
        self.beside.get_or_insert_default()
    }

    /// The value, or `None` for a failure.
    pub fn output(&self) -> Option<&T> {
        self.output.as_ref().ok()
    }

    /// The message of a failure.
    pub fn error(&self) -> Option<&str> {
        self.output.as_ref().err().map(String::as_str)
    }

    /// Whether this is no failure.
    pub fn is_success(&self) -> bool {
        self.output.is_ok()
    }

    /// The content parts.
    pub fn parts(&self) -> &[Part] {
        self.beside.as_ref().map_or(&[], |beside| &beside.content)
    }
}

impl<T: Serialize> ToolResult<T> {
    /// `{"success", "output"}` or `{"success", "error"}`, with `model_output`, `content` (the parts) and `metadata` where
    /// they are set.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::{Part, ToolResult};
    ///
    /// let result = ToolResult::new(3).content(vec![Part::image(*b"hi", "image/png")]);
    /// assert_eq!(
    ///     result.to_json()?,
    ///     json!({
    ///         "success": true,
    ///         "output": 3,
    ///         "content": [{ "type": "image", "media_type": "image/png", "data": "aGk=" }],
    ///     })
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn to_json(&self) -> Result<Value, serde_json::Error> {
        let mut object = Map::new();
        object.insert("success".into(), self.is_success().into());
        match &self.output {
            Ok(output) => object.insert("output".into(), serde_json::to_value(output)?),
            Err(message) => object.insert("error".into(), message.clone().into()),
        };
        match resolve_model_output(self) {
            Some(ModelOutput::Text(text)) => object.insert("model_output".into(), text.clone().into()),
            Some(ModelOutput::Json(json)) => object.insert("model_output".into(), json.clone()),
            None => None,
        };
        if !self.parts().is_empty() {
            object.insert("content".into(), serde_json::to_value(self.parts())?);
        }
        if let Some(beside) = self.beside.as_ref().filter(|beside| !beside.metadata.is_empty()) {
            object.insert("metadata".into(), beside.metadata.clone().into());
        }
        Ok(object.into())
    }
}

impl<T> From<T> for ToolResult<T> {
    fn from(output: T) -> Self {
        Self::new(output)
    }
}

/// The view that the result carries itself. Runs no hook.
#[must_use]
pub fn resolve_model_output<T>(result: &ToolResult<T>) -> Option<&ModelOutput> {
    result.beside.as_ref()?.model_output.as_ref()
}
