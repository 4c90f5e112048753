//! A piece of a saved result: the value of the tools that read artifacts.

use serde::{Serialize, Serializer};

use crate::policy::Trust;

/// Text out of the store. Where it came from decides about its fence, whatever tool reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// Our line above the text, outside the fence: which piece it is.
    pub(crate) title: Option<String>,
    pub(crate) text: String,
    pub(crate) trust: Trust,
}

impl Excerpt {
    /// Words of our own.
    pub(crate) fn ours(text: String) -> Self {
        Self { title: None, text, trust: Trust::Trusted }
    }
}

/// The text alone, like every value that is text.
impl Serialize for Excerpt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
