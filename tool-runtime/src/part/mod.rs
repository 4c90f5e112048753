//! One part of a multimodal result.

mod error;
mod kind;
mod link;
mod source;

use std::sync::Arc;

use base64::{display::Base64Display, engine::general_purpose::STANDARD};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use source::Source;

pub use error::PartError;
pub use kind::MediaKind;
pub use link::{Remote, ResourceLink};

/// One part of a multimodal result: text, media, or a link.
///
/// Media come as bytes, as Base64 text, or by their URL. `image`, `audio` and `file` take what they are given;
/// [`checked`](Self::checked) says what is wrong with it, and the other constructors do so at once. **Base64** may be
/// of the standard or the URL-safe alphabet (not both), with or without padding; white space is skipped. A **URL** is
/// `data:` (the part has its bytes then) or `http(s)://`: the part carries the address, and whoever reads the result
/// fetches it, or not. Nothing is fetched here.
///
/// ```
/// use tool_runtime::{Part, PartError};
///
/// let dot = Part::image_base64("iVBO Rw0K", "image/png")?;
/// assert_eq!(dot, Part::image(*b"\x89PNG\r\n", "image/png"));
/// assert_eq!(Part::image_url("data:image/png;base64,iVBORw0K")?, dot);
///
/// let error = Part::image(*b"RIFF", "audio/wav").checked().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "an image can't have the media type `audio/wav`; write one that begins with `image/`, or make it a file \
///      (`Part::file`)"
/// );
/// # Ok::<(), PartError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// Text; obeys the limit and the fence.
    Text(String),
    /// An image; its bytes reach the model untouched.
    Image {
        /// The encoded image.
        data: Arc<[u8]>,
        /// For example `image/png`.
        media_type: String,
    },
    /// Sound; its bytes reach the model untouched.
    Audio {
        /// The encoded sound.
        data: Arc<[u8]>,
        /// For example `audio/wav`.
        media_type: String,
    },
    /// A file of any kind; its bytes reach the model untouched.
    File {
        /// For example `report.pdf`.
        name: String,
        /// The content.
        data: Arc<[u8]>,
        /// For example `application/pdf`.
        media_type: String,
    },
    /// An image, sound or file at an address.
    Remote(Remote),
    /// Something that can be read elsewhere.
    ResourceLink(ResourceLink),
}

impl From<Remote> for Part {
    fn from(remote: Remote) -> Self {
        Self::Remote(remote)
    }
}

impl From<ResourceLink> for Part {
    fn from(link: ResourceLink) -> Self {
        Self::ResourceLink(link)
    }
}

impl Part {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// An image from its encoded bytes; `media_type` is for example `image/png`. A media type that is not
    /// of the form `type/subtype` (RFC 6838 names) is replaced by `application/octet-stream` when it is shown, and so
    /// is one of an external tool that is not well known: nobody else's words stand outside the fence.
    pub fn image(data: impl Into<Vec<u8>>, media_type: impl Into<String>) -> Self {
        Self::Image { data: data.into().into(), media_type: media_type.into() }
    }

    /// Sound from its encoded bytes; `media_type` is for example `audio/wav`, and treated like that of an image.
    pub fn audio(data: impl Into<Vec<u8>>, media_type: impl Into<String>) -> Self {
        Self::Audio { data: data.into().into(), media_type: media_type.into() }
    }

    /// A file from its name, bytes and media type, for example `application/pdf`. What is not known better is
    /// `application/octet-stream`.
    pub fn file(name: impl Into<String>, data: impl Into<Vec<u8>>, media_type: impl Into<String>) -> Self {
        Self::File { name: name.into(), data: data.into().into(), media_type: media_type.into() }
    }

    /// A reference to something at a URI of any scheme; [`ResourceLink`] tells more about it.
    pub fn resource_link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        ResourceLink::new(uri, name).into()
    }

    /// An image from Base64 text.
    pub fn image_base64(text: &str, media_type: impl Into<String>) -> Result<Self, PartError> {
        Self::image(source::base64(text)?, media_type).checked()
    }

    /// Sound from Base64 text.
    pub fn audio_base64(text: &str, media_type: impl Into<String>) -> Result<Self, PartError> {
        Self::audio(source::base64(text)?, media_type).checked()
    }

    /// A file from Base64 text.
    pub fn file_base64(name: impl Into<String>, text: &str, media_type: impl Into<String>) -> Result<Self, PartError> {
        Self::file(name, source::base64(text)?, media_type).checked()
    }

    /// An image from its URL: the bytes of a `data:` URL, or the address.
    pub fn image_url(url: &str) -> Result<Self, PartError> {
        Self::from_url(MediaKind::Image, None, url)
    }

    /// Sound from its URL: the bytes of a `data:` URL, or the address.
    pub fn audio_url(url: &str) -> Result<Self, PartError> {
        Self::from_url(MediaKind::Audio, None, url)
    }

    /// A file from its URL: the bytes of a `data:` URL, or the address.
    pub fn file_url(name: impl Into<String>, url: &str) -> Result<Self, PartError> {
        Self::from_url(MediaKind::File, Some(name.into()), url)
    }

    fn from_url(kind: MediaKind, name: Option<String>, url: &str) -> Result<Self, PartError> {
        match source::url(url)? {
            Source::Address => Ok(Remote { kind, url: url.to_owned(), name, media_type: None }.into()),
            Source::Data { bytes, media_type } => match (kind, media_type) {
                (MediaKind::Image, Some(media_type)) => Self::image(bytes, media_type).checked(),
                (MediaKind::Audio, Some(media_type)) => Self::audio(bytes, media_type).checked(),
                (MediaKind::File, media_type) => {
                    // RFC 2397 says what a URL without one means.
                    let media_type = media_type.unwrap_or_else(|| "text/plain;charset=US-ASCII".to_owned());
                    Self::file(name.unwrap_or_default(), bytes, media_type).checked()
                }
                (MediaKind::Image | MediaKind::Audio, None) => Err(PartError::media_type(format!(
                    "the `data:` URL of {kind:#} names no media type; write `data:{}/…;base64,…`",
                    kind.name()
                ))),
            },
        }
    }

    /// The part itself, where its media type has the form `type/subtype` (RFC 6838) and is one of its kind, and its URI
    /// is one (RFC 3986, at most 8 KiB). Text is always right.
    pub fn checked(self) -> Result<Self, PartError> {
        self.check().map(|()| self)
    }

    pub(crate) fn check(&self) -> Result<(), PartError> {
        match self {
            Self::Text(_) => {}
            Self::Image { media_type, .. } => MediaKind::Image.check(media_type)?,
            Self::Audio { media_type, .. } => MediaKind::Audio.check(media_type)?,
            Self::File { media_type, .. } => MediaKind::File.check(media_type)?,
            Self::Remote(remote) => remote.media_type.iter().try_for_each(|media| remote.kind.check(media))?,
            Self::ResourceLink(link) => {
                source::uri(&link.uri)?;
                link.media_type.iter().try_for_each(|media| MediaKind::File.check(media))?;
            }
        }
        Ok(())
    }

    /// What [`check`](Self::check) looks at: the media type and the URI.
    pub(crate) fn checked_texts(&self) -> [Option<&str>; 2] {
        match self {
            Self::Text(_) => [None, None],
            Self::Image { media_type, .. } | Self::Audio { media_type, .. } | Self::File { media_type, .. } => {
                [Some(media_type), None]
            }
            Self::Remote(remote) => [remote.media_type.as_deref(), None],
            Self::ResourceLink(link) => [link.media_type.as_deref(), Some(&link.uri)],
        }
    }

    /// The bytes of media that are here, with what they are and their media type.
    pub(crate) fn media(&self) -> Option<(MediaKind, &Arc<[u8]>, &str)> {
        match self {
            Self::Image { data, media_type } => Some((MediaKind::Image, data, media_type)),
            Self::Audio { data, media_type } => Some((MediaKind::Audio, data, media_type)),
            Self::File { data, media_type, .. } => Some((MediaKind::File, data, media_type)),
            Self::Text(_) | Self::Remote(_) | Self::ResourceLink(_) => None,
        }
    }
}

/// Whether a text may be shown as a URI.
pub(crate) fn is_uri(text: &str) -> bool {
    source::uri(text).is_ok()
}

/// `{"type": "text", "text"}`; `{"type": "image" | "audio" | "file", "name", "media_type", "data" | "url"}`, the data in
/// Base64; or `{"type": "resource_link", "uri", "name", "media_type", "description"}`. What is not there is left out.
impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (kind, fields): (&str, [(&'static str, Option<&str>); 4]) = match self {
            Self::Text(text) => ("text", [("text", Some(text)), NONE, NONE, NONE]),
            Self::Image { media_type, .. } => ("image", [("media_type", Some(media_type)), NONE, NONE, NONE]),
            Self::Audio { media_type, .. } => ("audio", [("media_type", Some(media_type)), NONE, NONE, NONE]),
            Self::File { name, media_type, .. } => {
                ("file", [("name", Some(name)), ("media_type", Some(media_type)), NONE, NONE])
            }
            Self::Remote(Remote { kind, url, name, media_type }) => {
                let (name, media_type) = (name.as_deref(), media_type.as_deref());
                (kind.name(), [("name", name), ("media_type", media_type), ("url", Some(url)), NONE])
            }
            Self::ResourceLink(ResourceLink { uri, name, media_type, description }) => {
                let media_type = ("media_type", media_type.as_deref());
                let fields = [("uri", Some(&**uri)), ("name", Some(name)), media_type];
                ("resource_link", [fields[0], fields[1], fields[2], ("description", description.as_deref())])
            }
        };
        let data = self.media().map(|(_, data, _)| Base64Display::new(data, &STANDARD).to_string());
        let there = fields.iter().filter_map(|(key, value)| Some((*key, (*value)?)));
        let all: Vec<(&'static str, &str)> = there.chain(data.as_deref().map(|data| ("data", data))).collect();
        let mut object = serializer.serialize_struct("Part", all.len() + 1)?;
        object.serialize_field("type", kind)?;
        for (key, value) in all {
            object.serialize_field(key, value)?;
        }
        object.end()
    }
}

const NONE: (&str, Option<&str>) = ("", None);

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
