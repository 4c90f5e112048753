//! A tool's output as it comes: of any size, in the memory that its limit takes.
//!
//! ```text
//! bytes ──shared──▶ whole lines of all writers, in blocks of one size
//!         engine    decode ─▶ sanitise ─▶ redact        (as for any text)
//!         outlet    both ends in memory; all of it in the store, once the limit is exceeded
//! ```

#[cfg(feature = "tokio")]
mod asynchronous;
mod decode;
mod engine;
mod outlet;
mod redacting;
mod shared;

use std::{
    fmt,
    io::{self, Write},
    sync::Arc,
};

use crate::{context::CallContext, stream::Streamed};

use shared::{End, Shared};

/// Takes a tool's output while it is made, from [`CallContext::sink`]: output of any size takes a few hundred KiB and
/// what the tool's `max_result_size` takes. Write to it, [`finish`](Self::finish) it and return what that gives.
///
/// The model reads the beginning and the end, below the usual header; from the moment the limit is exceeded all of it
/// goes to the store. Without a limit all of it is shown, and so it is in memory. External text is sanitised and
/// secrets are redacted on the way ([`Redactor::window`](crate::Redactor::window)). JSON may be cut as such
/// ([`json`](Self::json)). Of trusted tools without redactors
/// the bytes are stored as they are, whether UTF-8 or not; what is not shows as U+FFFD.
///
/// # Several writers
///
/// A clone writes to the same stream. Lines stay whole: what a clone writes is passed on by lines (of up to 64 KiB), in
/// the order in which they end. Give each source, such as stdout and stderr of a child process, a clone of its own,
/// and drop that when the source has ended.
///
/// # Blocking and async
///
/// As [`Write`] it works on the thread that writes, and is for `blocking` tools and small outputs. As
/// `tokio::io::AsyncWrite` (feature `tokio`) it takes up to 256 KiB at once, and goes to the blocking pool for a store
/// that [`blocks`](crate::ArtifactStore::blocks); await `shutdown` before [`finish`](Self::finish), which waits for the
/// last few blocks otherwise.
///
/// A sink that is dropped instead of finished leaves nothing in the store.
///
/// ```
/// use std::io::{self, Write};
/// use tool_runtime::{CallContext, Registry, Streamed, ToolCall, tool, tools};
///
/// /// Counts.
/// #[tool(max_result_size = 100)]
/// fn count(#[inject] ctx: &CallContext, to: u32) -> io::Result<Streamed> {
///     let mut sink = ctx.sink();
///     for number in 1..=to {
///         writeln!(sink, "{number}")?;
///     }
///     Ok(sink.finish())
/// }
///
/// # fn main() -> Result<(), tool_runtime::BuildError> {
/// let registry = Registry::builder().tools(tools![count]).build()?;
/// let outcome = registry.call_blocking(ToolCall::new("1", "count", r#"{"to":100000}"#));
/// assert!(outcome.model_text().starts_with("[Truncated: 588895 chars -> 100 chars | full output: "));
/// assert!(outcome.model_text().ends_with("\n99999\n100000\n"));
/// assert_eq!(outcome.output().text().lines().count(), 100_000);
/// # Ok(())
/// # }
/// ```
#[must_use = "what was written is lost without `finish`"]
pub struct OutputSink {
    shared: Arc<Shared>,
    writer: usize,
}

impl CallContext {
    /// A new stream for this call's output, for tools that return [`Streamed`].
    pub fn sink(&self) -> OutputSink {
        OutputSink { shared: Arc::new(Shared::new(self.plan())), writer: 0 }
    }
}

impl OutputSink {
    /// A ceiling in bytes, after which the stream is partial: writing fails with [`io::ErrorKind::FileTooLarge`] (up
    /// to 256 KiB later), [`finish`](Self::finish) keeps exactly so much, and the model is told. To be set before
    /// anything is written; it may be higher than what the store allows an artifact otherwise. Default: none, and
    /// what exceeds the store's own ceiling is shown and not stored.
    ///
    /// A tool that passes that error on with `?` fails, and a call that fails keeps nothing: stop when
    /// [`is_full`](Self::is_full) says so, or when writing fails, and return what `finish` gives.
    ///
    /// ```
    /// use std::io::{self, Write};
    /// use tool_runtime::{CallContext, Registry, Streamed, ToolCall, tool, tools};
    ///
    /// /// Counts for ever.
    /// #[tool(max_result_size = 100)]
    /// fn count(#[inject] ctx: &CallContext) -> io::Result<Streamed> {
    ///     let mut sink = ctx.sink().max_bytes(1_000_000);
    ///     for number in 0_u64.. {
    ///         if sink.is_full() {
    ///             break;
    ///         }
    ///         writeln!(sink, "{number}")?;
    ///     }
    ///     Ok(sink.finish())
    /// }
    ///
    /// # fn main() -> Result<(), tool_runtime::BuildError> {
    /// let registry = Registry::builder().tools(tools![count]).build()?;
    /// let outcome = registry.call_blocking(ToolCall::new("1", "count", "{}"));
    /// assert!(!outcome.is_error());
    /// assert_eq!(outcome.output().downcast_ref::<Streamed>().map(|all| (all.is_partial(), all.bytes())), Some((true, 1_000_000)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Counted is what is stored, so external text after sanitising and redaction.
    pub fn max_bytes(self, bytes: u64) -> Self {
        self.shared.set_most(bytes);
        self
    }

    /// Says, before anything is written, that it will be JSON: an object or a list. It is then cut and cleaned by its
    /// strings and values, as a value that a tool returns is, not by its ends, and stored as `.json`. For tools whose
    /// truncation is `fields` or `structure`, it needs not be said.
    ///
    /// For that all of it has to be in memory: of more than 1 MiB, and of what turns out to be no JSON, the model reads
    /// the two ends below the usual header, as of any text; so it does where `max_bytes` stops it.
    ///
    /// ```
    /// use std::io::{self, Write};
    /// use tool_runtime::{CallContext, Registry, Streamed, ToolCall, tool, tools};
    ///
    /// /// Fetches a record.
    /// #[tool(max_result_size = 200)]
    /// fn fetch(#[inject] ctx: &CallContext) -> io::Result<Streamed> {
    ///     let mut sink = ctx.sink().json();
    ///     write!(sink, r#"{{"id": 7, "#)?;
    ///     write!(sink, r#""log": "{}", "ok": true}}"#, "x".repeat(5000))?;
    ///     Ok(sink.finish())
    /// }
    ///
    /// # fn main() -> Result<(), tool_runtime::BuildError> {
    /// let registry = Registry::builder().tools(tools![fetch]).field_limit(50).deterministic(1).build()?;
    /// let outcome = registry.call_blocking(ToolCall::new("1", "fetch", "{}"));
    /// assert!(outcome.model_text().starts_with(r#"{"id":7,"log":"xxx"#), "{}", outcome.model_text());
    /// assert!(outcome.artifact().is_some_and(|artifact| artifact.id.ends_with(".json")));
    /// # Ok(())
    /// # }
    /// ```
    pub fn json(self) -> Self {
        self.shared.expect_json();
        self
    }

    /// Whether the ceiling ([`max_bytes`](Self::max_bytes)) was reached, so that writing only fails. It is noticed when a
    /// piece is stored, so up to 256 KiB late; a small stream may end before that, cut at the ceiling all the same.
    pub fn is_full(&self) -> bool {
        self.shared.end() == Some(End::Full)
    }

    /// The result. Clones can't write any more; the lines that they have begun are part of it.
    ///
    /// Works off what is waiting, 256 KiB at most, on this thread.
    #[must_use = "the tool has to return it"]
    pub fn finish(self) -> Streamed {
        // A clone may have finished before: then nothing is left for this one.
        self.shared.finish().unwrap_or_else(Streamed::empty)
    }
}

/// Another writer to the same stream.
impl Clone for OutputSink {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), writer: self.shared.join() }
    }
}

impl Drop for OutputSink {
    fn drop(&mut self) {
        self.shared.leave(self.writer);
    }
}

impl fmt::Debug for OutputSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputSink").field("writer", &self.writer).finish_non_exhaustive()
    }
}

impl Write for OutputSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.shared.write(self.writer, bytes)
    }

    /// Does nothing: a line is passed on when it ends.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Threads that share one writer share its lines: only what is written in one call stays together.
impl Write for &OutputSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.shared.write(self.writer, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
