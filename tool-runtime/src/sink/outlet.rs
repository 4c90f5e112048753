//! Where a stream ends: both ends in memory, and all of it in the store from the moment the limit is exceeded.

use std::{
    hash::{DefaultHasher, Hasher},
    mem,
};

use crate::{
    artifact::{ArtifactStore, ArtifactWriter, StoreError, StoreReason},
    contain::{self, Panicked},
    cut,
    stream::{Ends, Kept, Plan},
    truncate::Window,
};

pub(super) struct Outlet {
    window: Window,
    copy: Copy,
    /// All bytes so far, as long as that is within the limit and they may not be those of the window.
    early: Vec<u8>,
    bytes: u64,
    most: Option<u64>,
    is_full: bool,
    hash: DefaultHasher,
}

enum Copy {
    Unopened,
    Writing(Box<dyn ArtifactWriter>),
    Ended(Kept),
}

/// What an outlet leaves.
pub(super) struct Left {
    pub(super) ends: Ends,
    pub(super) raw: Option<Vec<u8>>,
    pub(super) kept: Kept,
    pub(super) bytes: u64,
    pub(super) hash: u64,
}

impl Outlet {
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            window: Window::new(plan.limit, plan.style),
            copy: Copy::Unopened,
            early: Vec::new(),
            bytes: 0,
            most: None,
            is_full: false,
            hash: DefaultHasher::new(),
        }
    }

    pub(super) fn set_most(&mut self, bytes: u64) {
        self.most = Some(bytes);
    }

    /// Where it was stopped.
    pub(super) fn stopped_at(&self) -> Option<u64> {
        self.most.filter(|_| self.is_full)
    }

    /// How many of `wanted` bytes are still allowed; fewer, and the stream is at its end.
    fn allowed(&mut self, wanted: usize) -> usize {
        let Some(most) = self.most else { return wanted };
        if self.is_full {
            return 0;
        }
        let room = usize::try_from(most.saturating_sub(self.bytes)).unwrap_or(usize::MAX);
        self.is_full |= wanted > room;
        wanted.min(room)
    }

    fn count(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.hash.write(bytes);
    }

    /// Stores bytes as they are; [`show`](Self::show) has to follow for the text in them. Gives how many were taken.
    pub(super) fn store(&mut self, plan: &Plan, bytes: &[u8]) -> usize {
        let bytes = &bytes[..self.allowed(bytes.len())];
        self.count(bytes);
        match self.copy {
            Copy::Unopened => self.early.extend_from_slice(bytes),
            _ => self.copy.write(plan, self.most, bytes),
        }
        bytes.len()
    }

    /// Shows text whose bytes were stored.
    pub(super) fn show(&mut self, plan: &Plan, piece: &str) {
        self.window.push(piece, cut::count(piece));
        if self.window.is_over() && matches!(self.copy, Copy::Unopened) {
            let early = mem::take(&mut self.early);
            self.copy.write(plan, self.most, &early);
        }
    }

    /// Shows and stores text.
    pub(super) fn push(&mut self, plan: &Plan, piece: &str) {
        let piece = &piece[..cut::boundary(piece, self.allowed(piece.len()))];
        self.count(piece.as_bytes());
        let chars = cut::count(piece);
        if self.window.overflows_with(chars) {
            if matches!(self.copy, Copy::Unopened) {
                self.copy.write(plan, self.most, self.window.head().as_bytes());
            }
            self.copy.write(plan, self.most, piece.as_bytes());
        }
        self.window.push(piece, chars);
    }

    /// Whether nothing came by yet.
    pub(super) fn is_untouched(&self) -> bool {
        self.bytes == 0
    }

    /// It is stored from memory, when it has come to an end.
    pub(super) fn hold(&mut self) {
        self.copy = Copy::Ended(Kept::InMemory);
    }

    /// Nothing of it may be stored.
    pub(super) fn refuse(&mut self, reason: StoreReason) {
        self.copy = Copy::Ended(Kept::Refused(reason));
    }

    pub(super) fn finish(self) -> Left {
        let Self { window, copy, early, bytes, hash, .. } = self;
        let ends = window.into_ends();
        let raw = (!early.is_empty() && early != ends.head.as_bytes()).then_some(early);
        let kept = match copy {
            Copy::Unopened => Kept::InMemory,
            Copy::Writing(writer) => Kept::Written(writer),
            Copy::Ended(kept) => kept,
        };
        Left { ends, raw, kept, bytes, hash: hash.finish() }
    }
}

impl Copy {
    /// Writes, and opens the store for that. Whatever the store does, the stream goes on.
    fn write(&mut self, plan: &Plan, most: Option<u64>, bytes: &[u8]) {
        if matches!(self, Self::Unopened) {
            *self = match &plan.store {
                None => Self::Ended(Kept::NoStore),
                Some(store) => match contained(|| open(&**store, plan, most)) {
                    Ok(writer) => Self::Writing(writer),
                    Err(error) => Self::refused(plan, &error),
                },
            };
        }
        if let Self::Writing(writer) = self {
            if let Err(error) = contained(|| writer.write(bytes)) {
                // Dropping the writer leaves nothing behind.
                *self = Self::refused(plan, &error);
            }
        }
    }

    fn refused(plan: &Plan, error: &StoreError) -> Self {
        tracing::warn!(tool = plan.meta.tool, reason = %error, error = ?error, "a stream could not be saved");
        Self::Ended(Kept::Refused(error.reason()))
    }
}

fn open(store: &dyn ArtifactStore, plan: &Plan, most: Option<u64>) -> Result<Box<dyn ArtifactWriter>, StoreError> {
    match most {
        Some(most) => store.create_up_to(&plan.meta, most),
        None => store.create(&plan.meta),
    }
}

fn contained<T>(work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    contain::call(work).unwrap_or_else(|Panicked(_)| Err(StoreReason::Failed.into()))
}
