//! What media are, and the media types that fit.

use std::fmt;

use super::error::{PartError, quoted};
use crate::media;

/// What media are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MediaKind {
    /// Its media type begins with `image/`.
    Image,
    /// Its media type begins with `audio/`.
    Audio,
    /// Of any media type.
    File,
}

impl MediaKind {
    /// `image`, `audio` or `file`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Audio => "audio",
            Self::File => "file",
        }
    }

    pub(super) fn check(self, media_type: &str) -> Result<(), PartError> {
        let example = match self {
            Self::Image => "image/png",
            Self::Audio => "audio/wav",
            Self::File => "application/pdf",
        };
        if !media::is_media_type(media_type) {
            return Err(PartError::media_type(format!(
                "{} is no media type, which is `type/subtype` (RFC 6838); write for example `{example}`",
                quoted(media_type)
            )));
        }
        let name = self.name();
        let is_of_kind = media_type.split_once('/').is_some_and(|(kind, _)| kind.eq_ignore_ascii_case(name));
        if self != Self::File && !is_of_kind {
            return Err(PartError::media_type(format!(
                "{self:#} can't have the media type {}; write one that begins with `{name}/`, or make it a file \
                 (`Part::file`)",
                quoted(media_type)
            )));
        }
        Ok(())
    }
}

/// `image`, `audio` or `file`; with `{:#}` as it stands in a sentence.
impl fmt::Display for MediaKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Image if f.alternate() => "an image",
            Self::Audio if f.alternate() => "audio",
            Self::File if f.alternate() => "a file",
            _ => self.name(),
        })
    }
}
