//! Which text stands for the result: the view it carries, the view its tool derives, or all of it.

use crate::{
    args::Message,
    callable::Returned,
    contain::{self, Panicked},
    json,
    outcome::ViewSource,
    output::{Beside, ModelOutput},
    part::Part,
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
    /// About arguments that did not fit: short already, so it is not cut. What it quotes is fenced.
    Message(Message),
    /// A text of ours: neither fenced nor cut.
    Own(String),
}

impl Drop for Facing {
    fn drop(&mut self) {
        if let Self::View(ModelOutput::Json(view), _) = self {
            json::dismantle(view);
        }
    }
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
fn resolve(output: &Output, beside: Option<Box<Beside>>) -> Resolved {
    let Beside { model_output, content, .. } = beside.map(|beside| *beside).unwrap_or_default();
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

/// How a call ended, before anybody looked at it for the model.
#[derive(Debug)]
pub(crate) enum End {
    /// The tool came back.
    Returned(Returned),
    /// It didn't, or was not run.
    Stopped { title: String, body: String },
    /// It was not run because of its arguments.
    Message(Message),
    /// It was not run; a text of ours says why.
    Own(String),
}

/// What the model is to read of this end.
pub(crate) fn facing(end: End, output: &Output) -> Resolved {
    match end {
        End::Returned(Returned { output: Ok(_), beside }) => resolve(output, beside),
        End::Returned(Returned { output: Err(error), .. }) => {
            Facing::Error { title: "Tool error".into(), body: error.to_string() }.into()
        }
        End::Stopped { title, body } => Facing::Error { title, body }.into(),
        End::Message(message) => Facing::Message(message).into(),
        End::Own(text) => Facing::Own(text).into(),
    }
}
