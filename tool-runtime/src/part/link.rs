//! Parts that are elsewhere: media at an address, and links to anything.

use super::{
    MediaKind,
    error::PartError,
    source::{self, Source},
};

/// Media at an `http(s)` address, made by [`Part::image_url`](super::Part::image_url),
/// [`Part::audio_url`](super::Part::audio_url) and [`Part::file_url`](super::Part::file_url), or here where the media type
/// is to be told (some providers want to know it).
///
/// ```
/// use tool_runtime::{MediaKind, Part, PartError, Remote};
///
/// let chart = Remote::new(MediaKind::Image, "https://example.com/chart.png")?.media_type("image/png")?;
/// assert!(matches!(Part::from(chart), Part::Remote(remote) if remote.kind() == MediaKind::Image));
/// # Ok::<(), PartError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    pub(crate) kind: MediaKind,
    pub(crate) url: String,
    pub(crate) name: Option<String>,
    pub(crate) media_type: Option<String>,
}

impl Remote {
    /// Media of this kind at an `http` or `https` address of at most 8 KiB.
    pub fn new(kind: MediaKind, url: impl Into<String>) -> Result<Self, PartError> {
        let url = url.into();
        match source::url(&url)? {
            Source::Address => Ok(Self { kind, url, name: None, media_type: None }),
            Source::Data { .. } => {
                let message = "a `data:` URL is no address; write `Part::image_url`, `audio_url` or `file_url`, which \
                               take both";
                Err(PartError::url(message))
            }
        }
    }

    /// The media type of what is there.
    pub fn media_type(mut self, media_type: impl Into<String>) -> Result<Self, PartError> {
        let media_type = media_type.into();
        self.kind.check(&media_type)?;
        self.media_type = Some(media_type);
        Ok(self)
    }

    /// What to call it.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// What is there.
    pub fn kind(&self) -> MediaKind {
        self.kind
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// A reference to something that the model, or the program that reads the result, may ask for: MCP's `resource_link`.
/// The URI may be of any scheme.
///
/// ```
/// use tool_runtime::{Part, ResourceLink};
///
/// let link = ResourceLink::new("file:///logs/today.log", "today.log")
///     .media_type("text/plain")
///     .description("Everything since midnight");
/// assert!(matches!(Part::from(link).checked(), Ok(Part::ResourceLink(link)) if link.name() == "today.log"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct ResourceLink {
    pub(crate) uri: String,
    pub(crate) name: String,
    pub(crate) media_type: Option<String>,
    pub(crate) description: Option<String>,
}

impl ResourceLink {
    /// A link without more about it.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: name.into(), media_type: None, description: None }
    }

    /// The media type of what is there.
    pub fn media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// What is there, in a sentence; at most 1,000 characters are shown.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Where it is.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// What it is called; at most 200 characters are shown.
    pub fn name(&self) -> &str {
        &self.name
    }
}
