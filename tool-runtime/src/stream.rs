//! A result that was written piece by piece, and of which only both ends are in memory.

use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::{
    artifact::{ArtifactMeta, ArtifactRef, ArtifactStore, ArtifactWriter, StoreReason},
    context::CallContext,
    cut::{self, Style},
    policy::{Snap, Trust},
    redact::Redactor,
};

/// What a stream goes through on its way to the model and the store.
#[derive(Clone)]
pub(crate) struct Plan {
    /// The most characters that are shown.
    pub(crate) limit: usize,
    pub(crate) style: Style,
    /// What JSON begins with that is treated as such; empty where none is.
    pub(crate) opens: &'static [u8],
    pub(crate) redactors: Arc<[Box<dyn Redactor>]>,
    pub(crate) store: Option<Arc<dyn ArtifactStore>>,
    pub(crate) meta: ArtifactMeta,
}

impl Default for Plan {
    /// Of a context without a registry: everything is shown, nothing is stored.
    fn default() -> Self {
        let style = Style { ends: cut::Ends::HeadTail, snap: Snap::Chars };
        let meta = ArtifactMeta::text("tool", 0);
        Self { limit: usize::MAX, style, opens: &[], redactors: Arc::new([]), store: None, meta }
    }
}

impl Plan {
    pub(crate) fn is_external(&self) -> bool {
        self.meta.trust == Trust::External
    }
}

/// Knows what the streams of a call go through.
pub(crate) trait Plans: Send + Sync {
    fn plan(&self, context: &CallContext) -> Plan;
}

/// What a tool returns that wrote its result to an [`OutputSink`](crate::OutputSink), made by
/// [`finish`](crate::OutputSink::finish). The model reads it like any other text: whole within the limit, else its
/// two ends below a header; JSON is cut as JSON where [`OutputSink::json`](crate::OutputSink::json) says so.
///
/// It is stored when the call's result is made up: a call that fails, is cancelled or blocked leaves nothing behind.
/// Hooks therefore see its ends and its numbers ([`text`](Self::text) tells what it gives when). External text and
/// secrets are cleaned while they stream by: neither the ends nor the artifact have them as they came.
///
/// As JSON it is an object: `text` (as [`shown`](Self::shown)), `chars`, `bytes`, `partial`, and `hash`, the same for
/// the same content in this build of the program.
pub struct Streamed {
    pub(crate) ends: Ends,
    pub(crate) style: Style,
    /// The first bytes, where they are all there is and are not those of `ends.head`.
    pub(crate) raw: Option<Vec<u8>>,
    /// All of it as it came, where it is JSON that is to be treated as such.
    pub(crate) document: Option<String>,
    /// Bytes that are stored.
    pub(crate) bytes: u64,
    pub(crate) hash: u64,
    pub(crate) cleaned: Cleaned,
    /// The ceiling that it was stopped at.
    pub(crate) stopped_at: Option<u64>,
    pub(crate) kept: Arc<Mutex<Kept>>,
    pub(crate) store: Option<Arc<dyn ArtifactStore>>,
}

/// What is left in memory of a text.
#[derive(Default)]
pub(crate) struct Ends {
    pub(crate) head: String,
    /// Of what follows, at least what a cut has to see.
    pub(crate) rest: String,
    /// Of the whole text.
    pub(crate) chars: usize,
    /// The most characters that a cut can show; as long as the text has no more, all of it is here.
    pub(crate) limit: usize,
    /// Nothing may be shown.
    pub(crate) hidden: bool,
}

impl Ends {
    pub(crate) fn is_whole(&self) -> bool {
        self.chars <= self.limit && !self.hidden
    }

    /// What a cut to `limit` characters shows.
    pub(crate) fn show(&self, limit: usize, style: Style) -> String {
        if self.hidden {
            return String::new();
        }
        cut::join(&self.head, &self.rest, self.chars, limit.min(self.limit), style)
    }
}

/// What was done to a text while it streamed by.
pub(crate) struct Cleaned {
    pub(crate) trust: Trust,
    pub(crate) redactors: Arc<[Box<dyn Redactor>]>,
    pub(crate) removed: usize,
    pub(crate) defused: usize,
    /// Characters before that.
    pub(crate) raw_chars: usize,
    /// A redactor failed.
    pub(crate) is_broken: bool,
}

/// What became of the whole.
pub(crate) enum Kept {
    /// All of it is in memory.
    InMemory,
    /// Written, but not yet readable.
    Written(Box<dyn ArtifactWriter>),
    Saved(ArtifactRef),
    Refused(StoreReason),
    NoStore,
    /// It was not needed.
    Dropped,
}

impl Streamed {
    /// Nothing at all.
    pub(crate) fn empty() -> Self {
        let Plan { style, redactors, meta, .. } = Plan::default();
        let trust = meta.trust;
        Self {
            ends: Ends { limit: usize::MAX, ..Ends::default() },
            style,
            raw: None,
            document: None,
            bytes: 0,
            hash: 0,
            cleaned: Cleaned { trust, redactors, removed: 0, defused: 0, raw_chars: 0, is_broken: false },
            stopped_at: None,
            kept: Arc::new(Mutex::new(Kept::InMemory)),
            store: None,
        }
    }

    /// Whether it was cleaned as this call's texts are.
    pub(crate) fn is_clean_for(&self, trust: Trust, redactors: &[Box<dyn Redactor>]) -> bool {
        self.cleaned.trust == trust && std::ptr::eq(&raw const *self.cleaned.redactors, redactors)
    }

    /// All of it, where it is shown as JSON. Within the limit, what nobody changes is shown as it came.
    pub(crate) fn document(&self) -> Option<&str> {
        self.document.as_deref().filter(|_| !self.is_plain() || !self.ends.is_whole())
    }

    /// Whether the text is as it came.
    pub(crate) fn is_plain(&self) -> bool {
        self.cleaned.trust == Trust::Trusted && self.cleaned.redactors.is_empty()
    }

    /// Whether the store has to be waited for.
    pub(crate) fn blocks(&self) -> bool {
        self.store.as_ref().is_some_and(ArtifactStore::blocks)
    }

    pub(crate) fn kept(&self) -> MutexGuard<'_, Kept> {
        lock(&self.kept)
    }

    /// Nobody will ask for more.
    pub(crate) fn settle(&self) {
        let mut kept = self.kept();
        if let Kept::Written(_) = &*kept {
            // Dropping the writer leaves nothing behind.
            *kept = Kept::Dropped;
        }
    }

    /// Length in characters (Unicode scalar values).
    pub fn chars(&self) -> usize {
        self.ends.chars
    }

    /// Length in bytes, of what is stored where it is stored.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether it was stopped at its ceiling ([`OutputSink::max_bytes`](crate::OutputSink::max_bytes)).
    pub fn is_partial(&self) -> bool {
        self.stopped_at.is_some()
    }

    /// The whole in the store, once it is there.
    pub fn artifact(&self) -> Option<ArtifactRef> {
        match &*self.kept() {
            Kept::Saved(artifact) => Some(artifact.clone()),
            _ => None,
        }
    }

    /// What is in memory: all of it within the tool's limit, else both ends with the marker between them.
    pub fn shown(&self) -> String {
        self.ends.show(self.ends.limit, self.style)
    }

    /// All of it: from memory, or read back from the store once the call has come to its outcome. What was not stored,
    /// or is no longer there, gives what is [`shown`](Self::shown). Bytes that are not UTF-8 show as U+FFFD. Takes as
    /// much memory as the text has, and waits for the store.
    pub fn text(&self) -> Cow<'_, str> {
        if self.ends.is_whole() && self.ends.rest.is_empty() {
            return Cow::Borrowed(&self.ends.head);
        }
        if let Some(document) = self.document.as_deref().filter(|_| self.is_plain()) {
            return Cow::Borrowed(document);
        }
        let stored = self.artifact().zip(self.store.as_ref());
        let read = stored.and_then(|(artifact, store)| store.read(&artifact.id, 0..u64::MAX).ok());
        Cow::Owned(match read {
            Some(read) => String::from_utf8(read.bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
            None => self.shown(),
        })
    }
}

/// The lock guards one value that is replaced in one step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Streamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streamed")
            .field("chars", &self.chars())
            .field("bytes", &self.bytes)
            .field("partial", &self.is_partial())
            .field("artifact", &self.artifact())
            .finish_non_exhaustive()
    }
}

impl Serialize for Streamed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Streamed", 5)?;
        object.serialize_field("text", &self.shown())?;
        object.serialize_field("chars", &self.chars())?;
        object.serialize_field("bytes", &self.bytes)?;
        object.serialize_field("partial", &self.is_partial())?;
        object.serialize_field("hash", &format_args!("{:016x}", self.hash))?;
        object.end()
    }
}
