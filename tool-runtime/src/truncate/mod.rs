//! Keeps a result within its limit, and its full text in a store.

mod fields;
mod fit;
mod probe;
mod saver;
mod structure;
mod window;

use std::{fmt, path::PathBuf};

use crate::{
    artifact::{self, ArtifactMeta, ArtifactRef, ArtifactStore, Saved, StoreReason},
    header::{Header, Pointer},
    policy::{Snap, TruncationStrategy},
};

pub(crate) use fit::{Bounds, Fitted, Material, Unfit, fit, save};
pub(crate) use probe::largest;
pub(crate) use saver::{Opened, Saving};
pub(crate) use window::Window;

/// How [`truncate_result`] cuts, and where it keeps the whole.
#[derive(Clone, Copy)]
#[must_use]
pub struct TruncateOptions<'a> {
    max_size: usize,
    strategy: TruncationStrategy,
    snap: Snap,
    field_limit: Option<usize>,
    tool_name: &'a str,
    store: Option<&'a dyn ArtifactStore>,
}

impl<'a> TruncateOptions<'a> {
    /// At most `max_size` characters (Unicode scalar values) of content, cut marker included; the header comes on
    /// top. With 0, nothing is shown but the header. Defaults: [`TruncationStrategy::HeadTail`], [`Snap::Chars`], the
    /// tool name `tool`, no store.
    pub fn new(max_size: usize) -> Self {
        Self {
            max_size,
            strategy: TruncationStrategy::default(),
            snap: Snap::default(),
            field_limit: None,
            tool_name: "tool",
            store: None,
        }
    }

    /// Which part is shown.
    pub fn strategy(self, strategy: TruncationStrategy) -> Self {
        Self { strategy, ..self }
    }

    /// Where the cut may fall. Anything but [`Snap::Chars`] may show less than `max_size` characters.
    ///
    /// ```
    /// use tool_runtime::{Snap, TruncateOptions, truncate_result};
    ///
    /// let log = "compiling a\n".repeat(90) + "done\n";
    /// let result = truncate_result(&log, &TruncateOptions::new(70).snap(Snap::Lines));
    ///
    /// assert_eq!(result.content, "compiling a\n... (truncated 1015 chars) ...\ncompiling a\ndone\n");
    /// ```
    pub fn snap(self, snap: Snap) -> Self {
        Self { snap, ..self }
    }

    /// For [`TruncationStrategy::Fields`]: characters that a string inside the object may have; `max_size` by default.
    pub fn field_limit(self, field_limit: usize) -> Self {
        Self { field_limit: Some(field_limit), ..self }
    }

    /// The tool that the text comes from; the name of the saved file begins with it.
    pub fn tool_name(self, tool_name: &'a str) -> Self {
        Self { tool_name, ..self }
    }

    /// Where the whole text is kept when it is cut. Called on the current thread, also where the store blocks.
    pub fn store(self, store: &'a dyn ArtifactStore) -> Self {
        Self { store: Some(store), ..self }
    }
}

impl fmt::Debug for TruncateOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TruncateOptions")
            .field("max_size", &self.max_size)
            .field("strategy", &self.strategy)
            .field("snap", &self.snap)
            .field("field_limit", &self.field_limit)
            .field("tool_name", &self.tool_name)
            .field("store", &self.store.is_some())
            .finish()
    }
}

/// A text within its limit. `Display` is what a model reads: the header line and the content where the text was
/// cut, the content alone where it was not, or where it points to the whole itself (`_artifact_ref`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TruncatedResult {
    /// What is shown, cut marker included, without the header; at most `max_size` characters.
    pub content: String,
    /// Characters (Unicode scalar values) of the whole text.
    pub original_size: usize,
    /// Whether the whole text was longer than `max_size`.
    pub truncated: bool,
    /// The file with the whole text, where it was saved to one.
    pub full_path: Option<PathBuf>,
    shown: usize,
    saved: Saved,
    points_itself: bool,
}

impl TruncatedResult {
    /// The whole text in the store, where it was saved.
    pub fn artifact(&self) -> Option<&ArtifactRef> {
        self.saved.artifact()
    }

    /// Why the whole text was not saved, where the store refused it.
    pub fn not_saved(&self) -> Option<StoreReason> {
        match self.saved {
            Saved::No(reason) => Some(reason),
            Saved::Yes(_) | Saved::Never => None,
        }
    }
}

impl fmt::Display for TruncatedResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.truncated && !self.points_itself {
            let header = Header {
                original: self.original_size,
                shown: self.shown,
                full: None,
                saved: &self.saved,
                pointer: Pointer::Path,
            };
            writeln!(f, "{header}")?;
        }
        f.write_str(&self.content)
    }
}

/// Cuts `text` to the limit, and saves the whole of it if there is a store. Text within the limit stays as it is.
///
/// [`TruncationStrategy::Fields`] reads the text as JSON; text that is no JSON object is cut like
/// [`TruncationStrategy::HeadTail`]. [`TruncationStrategy::Structure`] does so too, and what it shows is JSON
/// at every limit but 0. A store that fails costs the pointer, not the result: the header gives the
/// reason. Takes one pass over the text, and beside the content no memory that grows with it.
///
/// ```
/// use tool_runtime::{TruncateOptions, truncate_result};
///
/// let log = format!("first line\n{}\nlast line", "x".repeat(1000));
/// let result = truncate_result(&log, &TruncateOptions::new(50));
///
/// assert!(result.truncated);
/// assert_eq!(result.original_size, 1021);
/// assert_eq!(
///     result.to_string(),
///     "[Truncated: 1021 chars -> 50 chars]\n\
///      first lin\n... (truncated 971 chars) ...\n\nlast line",
/// );
/// ```
#[must_use]
pub fn truncate_result(text: &str, options: &TruncateOptions<'_>) -> TruncatedResult {
    let TruncateOptions { max_size, strategy, snap, field_limit, tool_name, store } = *options;
    let limit = Some(max_size);
    let bounds = Bounds { limit, tokens: None, strategy: Some(strategy), field_limit, snap, may_point: true };
    let material = Material::of_text(text, &bounds);
    let mut open = || {
        let Some(store) = store else { return Opened::NoStore };
        let meta = match material {
            Material::Document(_) => ArtifactMeta::json(tool_name, artifact::unix_now()),
            _ => ArtifactMeta::text(tool_name, artifact::unix_now()),
        };
        match store.create(&meta) {
            Ok(writer) => Opened::Writer(writer),
            Err(error) => Opened::Refused(error.reason()),
        }
    };
    let mut saving = Saving { open: &mut open, inline_bytes: None };
    let fitted = fit(&material, &bounds, &mut saving);
    // Text in memory can't fail to be read, and nothing here asks for another thread; were it otherwise, the
    // result would still obey the limit.
    let fitted = fitted.unwrap_or_else(|_| Fitted::cut(text, &bounds));
    if let Saved::No(reason) = fitted.saved {
        tracing::warn!(tool = tool_name, %reason, "the full result was not saved");
    }
    TruncatedResult {
        content: fitted.content.unwrap_or_else(|| text.to_owned()),
        original_size: fitted.original,
        truncated: fitted.truncated,
        full_path: fitted.saved.path().map(PathBuf::from),
        shown: fitted.shown,
        saved: fitted.saved,
        points_itself: fitted.points_itself,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;
