//! A sentence for the model, after the result and outside its fence.

use std::fmt;

/// What a hook or the runtime wants the model to know about a call.
///
/// All notices of a call together have at most 2,000 characters. Each is sanitised and put on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub(crate) text: String,
    /// Text that a tool or somebody outside chose; fenced.
    pub(crate) quoted: Option<String>,
    /// Nothing in it needs cleaning.
    pub(crate) is_harmless: bool,
}

impl Notice {
    /// A sentence of the program's own.
    pub fn new(text: impl fmt::Display) -> Self {
        Self { text: text.to_string(), quoted: None, is_harmless: false }
    }

    /// A sentence of the program's own, and text quoted from a tool, which gets a fence of its own.
    pub fn untrusted(text: impl fmt::Display, quoted: impl fmt::Display) -> Self {
        Self { text: text.to_string(), quoted: Some(quoted.to_string()), is_harmless: false }
    }

    /// A sentence of ours, in which nobody else chose more than a name without brackets.
    pub(crate) fn harmless(text: impl fmt::Display) -> Self {
        Self { text: text.to_string(), quoted: None, is_harmless: true }
    }
}
