//! Which artifacts a call may read. What it may not read does not exist for it.

use std::{fmt::Write, ops::Range};

use super::{Artifacts, shown_id};
use crate::{
    artifact::{Artifact, ArtifactEntry, ArtifactMeta, ArtifactStore, StoreReason},
    context::CallContext,
    error::ToolError,
    policy::Trust,
    sanitise,
};

/// Ids that an error names, the newest.
const NAMED: usize = 10;

/// Bytes of one read where all of an artifact is looked at: 1 MiB.
const PIECE: u64 = 1024 * 1024;

/// An artifact that this call may read.
pub(super) struct Open<'a> {
    store: &'a dyn ArtifactStore,
    /// As the model wrote it.
    given: &'a str,
    pub(super) id: String,
    pub(super) trust: Trust,
    /// Bytes.
    pub(super) size: u64,
    pub(super) chars: Option<u64>,
    sha256: String,
}

impl Artifacts {
    pub(super) fn open<'a>(&'a self, ctx: &CallContext, given: &'a str) -> Result<Open<'a>, ToolError> {
        // Models copy what stands round a name too.
        let given = given.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '[' | ']'));
        match self.store.read(given, 0..0) {
            Ok(found) if self.may_read(ctx, &found.meta) => {
                let Artifact { meta, size, chars, sha256, .. } = found;
                let id = shown_id(last_segment(given));
                let chars = chars.map(|chars| chars as u64);
                Ok(Open { store: &*self.store, given, id, trust: meta.trust, size, chars, sha256 })
            }
            Ok(_) => Err(self.unknown(ctx, given)),
            Err(error) => Err(self.refusal(ctx, given, error.reason())),
        }
    }

    /// What this call may read, the newest first.
    pub(super) fn entries(&self, ctx: &CallContext) -> Result<Vec<ArtifactEntry>, ToolError> {
        let mut entries = self.store.list().map_err(|error| {
            let reason = error.reason();
            tracing::warn!(reason = %error, error = ?error, "saved results could not be listed");
            ToolError::new(format_args!("the saved results can't be listed ({reason}); try again later"))
        })?;
        entries.retain(|entry| self.may_read(ctx, &entry.meta));
        entries.reverse();
        Ok(entries)
    }

    fn may_read(&self, ctx: &CallContext, meta: &ArtifactMeta) -> bool {
        meta.session.as_deref() == ctx.session() || self.store.is_shared()
    }

    /// The reason only for what the call may read; else a guess would tell what others have.
    fn refusal(&self, ctx: &CallContext, given: &str, reason: StoreReason) -> ToolError {
        let is_there = !matches!(reason, StoreReason::NotFound | StoreReason::InvalidId | StoreReason::NotYours);
        let is_ours = |id: &str| self.entries(ctx).is_ok_and(|entries| entries.iter().any(|entry| entry.id == id));
        if is_there && is_ours(last_segment(given)) {
            return unreadable(given, reason);
        }
        self.unknown(ctx, given)
    }

    fn unknown(&self, ctx: &CallContext, given: &str) -> ToolError {
        let mut message = format!("there is no saved result `{}`, or no longer; ", sanitise::line(given, 120));
        let entries = self.entries(ctx).unwrap_or_default();
        if entries.is_empty() {
            message.push_str("nothing is saved here, so call its tool again");
            return ToolError::new(message);
        }
        message.push_str("take one of ");
        for (index, entry) in entries.iter().take(NAMED).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            // Writing to a `String` can't fail.
            let _ = write!(message, "{comma}`{}`", shown_id(&entry.id));
        }
        if let Some(more) = entries.len().checked_sub(NAMED).filter(|more| *more > 0) {
            let _ = write!(message, " and {more} older ones");
        }
        message.push_str(", or call its tool again");
        ToolError::new(message)
    }
}

fn unreadable(given: &str, reason: StoreReason) -> ToolError {
    let given = sanitise::line(given, 120);
    ToolError::new(format_args!("the saved result `{given}` can't be read ({reason}); call its tool again"))
}

/// The id in a path; an id has no slashes.
fn last_segment(given: &str) -> &str {
    given.rsplit(['/', '\\']).next().unwrap_or(given)
}

impl Open<'_> {
    pub(super) fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>, ToolError> {
        let read = self.store.read(self.given, range).map_err(|error| unreadable(self.given, error.reason()))?;
        // Pieces of two contents would fit nowhere.
        if read.sha256 != self.sha256 {
            return Err(unreadable(self.given, StoreReason::HashMismatch));
        }
        Ok(read.bytes)
    }

    /// All of it, piece by piece.
    pub(super) fn pieces(&self) -> impl Iterator<Item = Result<(u64, Vec<u8>), ToolError>> {
        let count = self.size.div_ceil(PIECE);
        (0..count).map(|index| Ok((index * PIECE, self.bytes(index * PIECE..(index + 1) * PIECE)?)))
    }
}
