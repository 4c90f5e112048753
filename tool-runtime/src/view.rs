//! The compact view that a tool declares for the model.

use std::{borrow::Cow, fmt};

use crate::output::ModelOutput;

/// What a `to_model_output` hook came up with.
#[derive(Clone, Debug, PartialEq)]
pub enum View {
    /// No view: the model reads the full result.
    None,
    /// This view.
    Some(ModelOutput),
    /// The hook failed with this message: the model reads the full result, the receipt has the message.
    Failed(String),
}

/// What a `to_model_output` hook may return: `String`, `&str`, `Cow<str>`, a JSON value, [`ModelOutput`],
/// `Option` of these and `Result` of these.
#[diagnostic::on_unimplemented(
    message = "`to_model_output` returns `{Self}`, which is no view",
    label = "return `String`, `&str`, `Cow<str>`, a JSON value, `ModelOutput`, or `Option` or `Result` of these"
)]
pub trait IntoView {
    /// Converts.
    fn into_view(self) -> View;
}

impl IntoView for View {
    fn into_view(self) -> View {
        self
    }
}

impl IntoView for String {
    fn into_view(self) -> View {
        View::Some(self.into())
    }
}

impl IntoView for &str {
    fn into_view(self) -> View {
        View::Some(self.into())
    }
}

impl IntoView for &String {
    fn into_view(self) -> View {
        View::Some(self.as_str().into())
    }
}

impl IntoView for Cow<'_, str> {
    fn into_view(self) -> View {
        View::Some(self.into_owned().into())
    }
}

impl IntoView for serde_json::Value {
    fn into_view(self) -> View {
        View::Some(self.into())
    }
}

impl IntoView for ModelOutput {
    fn into_view(self) -> View {
        View::Some(self)
    }
}

impl<V: IntoView> IntoView for Option<V> {
    fn into_view(self) -> View {
        self.map_or(View::None, V::into_view)
    }
}

impl<V: IntoView, E: fmt::Display> IntoView for Result<V, E> {
    fn into_view(self) -> View {
        match self {
            Ok(view) => view.into_view(),
            Err(error) => View::Failed(error.to_string()),
        }
    }
}
