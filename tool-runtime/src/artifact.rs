//! Where full results are kept: the trait that stores implement, and what they hand back.

use std::{
    fmt, io,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::policy::Trust;

/// Points at a full result in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArtifactRef {
    /// The file name, `{tool}_{unix_ts}_{sha256[..12]}.txt`, or `.json`, or as else its media type has it (`.png`).
    pub id: String,
    /// Where the file lies, for stores that have files.
    pub path: Option<PathBuf>,
    /// SHA-256 of the stored bytes, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// Length in characters (Unicode scalar values); bytes that are no UTF-8 count as they are shown, as U+FFFD.
    pub chars: usize,
}

impl Serialize for ArtifactRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("ArtifactRef", 4)?;
        object.serialize_field("id", &self.id)?;
        object.serialize_field("path", &self.path)?;
        object.serialize_field("sha256", &self.sha256)?;
        object.serialize_field("chars", &self.chars)?;
        object.end()
    }
}

impl ArtifactRef {
    /// Makes a reference; for implementations of [`ArtifactStore`].
    pub fn new(id: impl Into<String>, path: Option<PathBuf>, sha256: impl Into<String>, chars: usize) -> Self {
        Self { id: id.into(), path, sha256: sha256.into(), chars }
    }
}

/// What is known of a result when saving starts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArtifactMeta {
    /// The tool's name as registered; stores reduce it to `[a-z0-9_-]` for the id.
    pub tool: String,
    /// `text/plain; charset=utf-8`, `application/json`, or that of an image, sound or file.
    pub media_type: String,
    /// Whether the text came from outside; decides about the fence when it is read again.
    pub trust: Trust,
    /// The session that saved it, if any.
    pub session: Option<String>,
    /// Seconds since 1970-01-01 UTC.
    pub created: u64,
}

impl ArtifactMeta {
    /// Plain trusted text of `tool`, saved outside any session at `created` (Unix seconds).
    pub fn text(tool: impl Into<String>, created: u64) -> Self {
        Self {
            tool: tool.into(),
            media_type: "text/plain; charset=utf-8".into(),
            trust: Trust::Trusted,
            session: None,
            created,
        }
    }

    /// The same for JSON.
    pub fn json(tool: impl Into<String>, created: u64) -> Self {
        Self { media_type: "application/json".into(), ..Self::text(tool, created) }
    }

    /// Says what it is, if neither text nor JSON: for example `image/png`, which gives the id the ending `.png`.
    pub fn with_media_type(self, media_type: impl Into<String>) -> Self {
        Self { media_type: media_type.into(), ..self }
    }

    /// Says whether the text came from outside.
    pub fn with_trust(self, trust: Trust) -> Self {
        Self { trust, ..self }
    }

    /// Says which session saves it.
    pub fn with_session(self, session: impl Into<String>) -> Self {
        Self { session: Some(session.into()), ..self }
    }

    /// Whether two saves of one content are one artifact.
    pub(crate) fn is_same_but_for_time(&self, other: &Self) -> bool {
        self.tool == other.tool
            && self.media_type == other.media_type
            && self.trust == other.trust
            && self.session == other.session
    }
}

/// Seconds since 1970-01-01 UTC, as artifacts are dated.
pub(crate) fn unix_now() -> u64 {
    // A clock before 1970 is a clock that was never set.
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// A stored result, or a range of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Artifact {
    /// What was known when it was saved.
    pub meta: ArtifactMeta,
    /// Length of the whole in bytes.
    pub size: u64,
    /// Length of the whole in characters, where the store knows it.
    pub chars: Option<usize>,
    /// SHA-256 of the whole.
    pub sha256: String,
    /// The bytes asked for; a range past the end is cut to what there is.
    pub bytes: Vec<u8>,
}

impl Artifact {
    /// For implementations of [`ArtifactStore`].
    pub fn new(meta: ArtifactMeta, size: u64, sha256: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { meta, size, chars: None, sha256: sha256.into(), bytes }
    }

    /// Says how many characters the whole has. A store that does saves its readers from counting them.
    pub fn with_chars(self, chars: usize) -> Self {
        Self { chars: Some(chars), ..self }
    }
}

/// One line of [`ArtifactStore::list`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ArtifactEntry {
    /// The id that `read` takes.
    pub id: String,
    /// What was known when it was saved.
    pub meta: ArtifactMeta,
    /// Length in bytes.
    pub size: u64,
}

impl ArtifactEntry {
    /// For implementations of [`ArtifactStore`].
    pub fn new(id: impl Into<String>, meta: ArtifactMeta, size: u64) -> Self {
        Self { id: id.into(), meta, size }
    }
}

/// One save in progress. Dropping a writer without `finish` is the same as `abort`.
pub trait ArtifactWriter: Send {
    /// Appends bytes.
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError>;
    /// Makes the artifact readable under its id. `chars` is its length in characters, counted by the caller.
    fn finish(self: Box<Self>, chars: usize) -> Result<ArtifactRef, StoreError>;
    /// Leaves nothing behind.
    fn abort(self: Box<Self>);
}

/// Keeps full results. All methods are synchronous; the runtime moves a store that [`blocks`](Self::blocks)
/// to the blocking pool on its async path.
pub trait ArtifactStore: Send + Sync + 'static {
    /// Starts a save.
    fn create(&self, meta: &ArtifactMeta) -> Result<Box<dyn ArtifactWriter>, StoreError>;
    /// The same for a stream that may have up to `max_bytes` bytes, also where the store allows an artifact fewer.
    /// Default: [`create`](Self::create), with the store's own ceiling.
    fn create_up_to(&self, meta: &ArtifactMeta, max_bytes: u64) -> Result<Box<dyn ArtifactWriter>, StoreError> {
        let _ = max_bytes;
        self.create(meta)
    }
    /// Reads bytes `range` of the artifact, verified against its hash. Use `0..u64::MAX` for all of it. A store that
    /// gives its artifacts a path takes that for `id` too: a model was shown one or the other.
    fn read(&self, id: &str, range: Range<u64>) -> Result<Artifact, StoreError>;
    /// Everything in the store, oldest first.
    fn list(&self) -> Result<Vec<ArtifactEntry>, StoreError>;
    /// Removes one artifact.
    fn delete(&self, id: &str) -> Result<(), StoreError>;
    /// Removes what has expired at `now` (Unix seconds) and what killed processes left; gives the number removed.
    fn sweep(&self, now: u64) -> Result<usize, StoreError>;
    /// Whether calls wait for a disk or a network.
    fn blocks(&self) -> bool {
        true
    }
    /// Whether sessions other than the one that saved may read.
    fn is_shared(&self) -> bool {
        false
    }
    /// The session is over: nobody will ask for what it saved, which may go when room is needed. Called when the last
    /// clone of a [`Session`](crate::Session) is dropped and its last call has ended, on whatever thread that is.
    /// Does nothing by default.
    fn end_session(&self, _session: &str) {}
}

impl<S: ArtifactStore + ?Sized> ArtifactStore for Arc<S> {
    fn create(&self, meta: &ArtifactMeta) -> Result<Box<dyn ArtifactWriter>, StoreError> {
        (**self).create(meta)
    }
    fn create_up_to(&self, meta: &ArtifactMeta, max_bytes: u64) -> Result<Box<dyn ArtifactWriter>, StoreError> {
        (**self).create_up_to(meta, max_bytes)
    }
    fn read(&self, id: &str, range: Range<u64>) -> Result<Artifact, StoreError> {
        (**self).read(id, range)
    }
    fn list(&self) -> Result<Vec<ArtifactEntry>, StoreError> {
        (**self).list()
    }
    fn delete(&self, id: &str) -> Result<(), StoreError> {
        (**self).delete(id)
    }
    fn sweep(&self, now: u64) -> Result<usize, StoreError> {
        (**self).sweep(now)
    }
    fn blocks(&self) -> bool {
        (**self).blocks()
    }
    fn is_shared(&self) -> bool {
        (**self).is_shared()
    }
    fn end_session(&self, session: &str) {
        (**self).end_session(session);
    }
}

/// Why a store refused. The text of a [`StoreError`] is its reason alone: from a fixed list, without a
/// path and without the operating system's words, so that it may stand in what a model reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreReason {
    /// The store's own quota is used up.
    Full,
    /// The artifact is larger than the store allows.
    TooLarge,
    /// The disk is full.
    DiskFull,
    /// The directory or its owner is not what it must be, or access was denied.
    Denied,
    /// No such artifact, or no longer.
    NotFound,
    /// The id does not have the form of an id.
    InvalidId,
    /// A link, pipe or directory stands where the artifact should.
    NotARegularFile,
    /// The file has more than one name.
    LinkCount,
    /// The content is not what was saved.
    HashMismatch,
    /// Another session's artifact.
    NotYours,
    /// It is a stream, and one of the redactors needs the whole of a text.
    NeedsWhole,
    /// This store cannot do that on this platform.
    Unsupported,
    /// Anything else that the system refused.
    Failed,
}

impl fmt::Display for StoreReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "store is full",
            Self::TooLarge => "artifact is too large",
            Self::DiskFull => "disk is full",
            Self::Denied => "access denied",
            Self::NotFound => "no such artifact",
            Self::InvalidId => "invalid artifact id",
            Self::NotARegularFile => "not a regular file",
            Self::LinkCount => "unexpected link count",
            Self::HashMismatch => "content does not match its hash",
            Self::NotYours => "artifact of another session",
            Self::NeedsWhole => "a redactor needs the whole text",
            Self::Unsupported => "not supported on this platform",
            Self::Failed => "store failed",
        })
    }
}

/// A store's refusal. `Display` gives the [`StoreReason`]; `source` has the system's error.
#[derive(Debug)]
pub struct StoreError {
    reason: StoreReason,
    source: Option<io::Error>,
}

impl StoreError {
    /// A refusal without a system error behind it.
    pub fn new(reason: StoreReason) -> Self {
        Self { reason, source: None }
    }

    /// A refusal for `reason`, with the system error behind it.
    pub(crate) fn with_source(reason: StoreReason, source: io::Error) -> Self {
        Self { reason, source: Some(source) }
    }

    /// The reason, one of a fixed list.
    pub fn reason(&self) -> StoreReason {
        self.reason
    }
}

impl From<StoreReason> for StoreError {
    fn from(reason: StoreReason) -> Self {
        Self::new(reason)
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => StoreReason::NotFound,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => StoreReason::Denied,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreReason::DiskFull,
            io::ErrorKind::FileTooLarge => StoreReason::TooLarge,
            io::ErrorKind::Unsupported => StoreReason::Unsupported,
            _ => StoreReason::Failed,
        };
        Self { reason, source: Some(error) }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|error| error as _)
    }
}

/// What became of a full result that had to be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Saved {
    /// It is in the store.
    Yes(ArtifactRef),
    /// The store refused.
    No(StoreReason),
    /// There is no store, or nothing had to be saved.
    Never,
}

impl Saved {
    pub(crate) fn artifact(&self) -> Option<&ArtifactRef> {
        match self {
            Self::Yes(artifact) => Some(artifact),
            Self::No(_) | Self::Never => None,
        }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.artifact().and_then(|artifact| artifact.path.as_deref())
    }
}
