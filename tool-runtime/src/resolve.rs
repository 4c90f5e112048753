//! Which text stands for the result: the view it carries, the view its tool derives, or all of it.

use crate::{
    contain::{self, Panicked},
    outcome::ViewSource,
    output::{ModelOutput, Part},
    tool::Returned,
    value::Output,
    view::View,
};

/// What the model is to read, before anything is cleaned or cut.
#[derive(Clone, Debug)]
pub(crate) enum Facing {
    /// All of the value.
    Full,
    View(ModelOutput, ViewSource),
    Parts(Vec<Part>),
    /// A failure: our line, then the text that it came with.
    Error {
        title: String,
        body: String,
    },
    /// A text of ours about arguments that did not fit: short already, so it is not cut.
    Message(String),
    /// A text of ours that quotes nobody: neither fenced nor cut.
    Own(String),
}

/// A view with what the receipt should say about it.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) facing: Facing,
    pub(crate) note: Option<String>,
}

impl From<Facing> for Resolved {
    fn from(facing: Facing) -> Self {
        Self { facing, note: None }
    }
}

/// `ToolResult::model_output`, else the hook, else everything; content parts need no view.
pub(crate) fn resolve(output: &Output, model_output: Option<ModelOutput>, content: Vec<Part>) -> Resolved {
    if !content.is_empty() {
        return Facing::Parts(content).into();
    }
    if let Some(parts) = output.as_parts() {
        return Facing::Parts(parts.to_vec()).into();
    }
    let (view, source) = match model_output {
        Some(view) => (Ok(Some(View::Some(view))), ViewSource::ModelOutput),
        None => (contain::call(|| output.view()), ViewSource::Hook),
    };
    let full = |note: &str| Resolved { facing: Facing::Full, note: Some(note.to_owned()) };
    match view {
        Ok(Some(View::Some(view))) if is_blank(&view) => full("the view was blank; the full result is shown"),
        Ok(Some(View::Some(view))) => Facing::View(view, source).into(),
        Ok(Some(View::None) | None) => Facing::Full.into(),
        Ok(Some(View::Failed(message))) => full(&format!("`to_model_output` failed: {message}")),
        Err(Panicked(message)) => full(&format!("`to_model_output` panicked: {message}")),
    }
}

fn is_blank(view: &ModelOutput) -> bool {
    match view {
        ModelOutput::Text(text) => text.trim().is_empty(),
        ModelOutput::Json(json) => json.is_null(),
    }
}

/// The parts that `resolve` needs out of a success.
pub(crate) fn facing(returned: Returned) -> (Output, Resolved) {
    let Returned { output, model_output, content, .. } = returned;
    match output {
        Ok(output) => {
            let resolved = resolve(&output, model_output, content);
            (output, resolved)
        }
        Err(error) => {
            let body = error.to_string();
            (Output::error(&body), Facing::Error { title: "Tool error".into(), body }.into())
        }
    }
}
