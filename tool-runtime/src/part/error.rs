//! What is wrong with a part.

use std::fmt;

/// Why a [`Part`](crate::Part) can't be made: says what is wrong and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartError {
    kind: Kind,
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    MediaType,
    Base64,
    Url,
}

impl PartError {
    pub(super) fn media_type(message: String) -> Self {
        Self { kind: Kind::MediaType, message }
    }

    pub(super) fn base64(message: impl Into<String>) -> Self {
        Self { kind: Kind::Base64, message: message.into() }
    }

    pub(super) fn url(message: impl Into<String>) -> Self {
        Self { kind: Kind::Url, message: message.into() }
    }

    /// Whether it is about the media type.
    pub fn is_media_type(&self) -> bool {
        self.kind == Kind::MediaType
    }

    /// Whether it is about Base64 text.
    pub fn is_base64(&self) -> bool {
        self.kind == Kind::Base64
    }

    /// Whether it is about a URL.
    pub fn is_url(&self) -> bool {
        self.kind == Kind::Url
    }
}

impl fmt::Display for PartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PartError {}

/// At most 60 characters of a text that a message quotes, escaped.
pub(super) fn quoted(text: &str) -> String {
    let shown: String = text.chars().take(60).flat_map(char::escape_debug).collect();
    let more = if text.chars().nth(60).is_some() { "…" } else { "" };
    format!("`{shown}{more}`")
}
