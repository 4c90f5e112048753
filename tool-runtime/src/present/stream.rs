//! A result that was streamed: its text is written already, and becomes an artifact here.

use std::{
    mem,
    sync::{Arc, Mutex},
};

use crate::{
    artifact::{ArtifactRef, ArtifactWriter, Saved, StoreError, StoreReason},
    contain::{self, Panicked},
    notice::Notice,
    outcome::Receipt,
    policy::Keep,
    resolve::Facing,
    stream::{Kept, Streamed, lock},
    truncate::{self, Opened, Saving, Unfit},
};

use super::{
    Job, NeedsThread, QUICK_BYTES, Saves, place,
    source::{Source, with_material},
};

impl Source<'_> {
    /// Opens a save of this full result.
    pub(super) fn open(self, job: &Job, saves: Saves) -> Opened {
        match self {
            Self::Stream(streamed) | Self::Document(streamed, _) if job.kept.is_none() => {
                open_carefully(job, streamed, saves)
            }
            source => job.open(source.is_json(), saves),
        }
    }
}

fn open_carefully(job: &Job, streamed: &Streamed, saves: Saves) -> Opened {
    match open(job, streamed, saves) {
        Opened::Writer(writer) => Opened::Writer(job.careful(writer)),
        other => other,
    }
}

/// Saves a stream that content parts stand for, as one that a view stands for is saved; and says where it is.
pub(super) fn save_beside(job: &Job, saves: Saves) -> Result<Option<(Saved, Notice)>, NeedsThread> {
    let Some(streamed) = streamed(job).filter(|streamed| streamed.chars() > 0) else { return Ok(None) };
    let is_held = matches!(*streamed.kept(), Kept::InMemory | Kept::Dropped) && streamed.document().is_none();
    let is_wanted = job.policy.keep == Keep::Always || !is_held;
    if !is_wanted {
        return Ok(None);
    }
    let mut open = || open_carefully(job, streamed, saves);
    let mut saving = Saving { open: &mut open, inline_bytes: saves.inline_bytes() };
    let cleaner = job.cleaner();
    let source = Source::full(&job.output);
    let saved = contain::call(|| with_material(source, &cleaner, |material| truncate::save(material, &mut saving)));
    let saved = match saved {
        Ok(Ok((saved, _))) => saved,
        Ok(Err(Unfit::NeedsThread)) => return Err(NeedsThread),
        Ok(Err(Unfit::Fault(_))) | Err(Panicked(_)) => Saved::No(StoreReason::Failed),
    };
    let chars = streamed.chars();
    let place = match &saved {
        Saved::Yes(artifact) => format!("kept as {}", place(job, artifact)),
        Saved::No(reason) => format!("not saved ({reason})"),
        Saved::Never => "not saved (no store)".to_owned(),
    };
    let partial = streamed.stopped_at.map_or_else(String::new, |bytes| format!(", stopped at {bytes} bytes"));
    Ok(Some((saved, Notice::new(format_args!("the streamed output ({chars} chars{partial}) is {place}")))))
}

/// A writer that has the whole stream.
fn open(job: &Job, streamed: &Streamed, saves: Saves) -> Opened {
    let mut kept = streamed.kept();
    match &*kept {
        Kept::Saved(artifact) => Opened::Saved(artifact.clone()),
        Kept::Refused(reason) => Opened::Refused(*reason),
        Kept::NoStore | Kept::Dropped => Opened::NoStore,
        Kept::Written(_) if saves == Saves::OnlyQuick && streamed.blocks() => Opened::NeedsThread,
        Kept::Written(_) => match mem::replace(&mut *kept, Kept::Refused(StoreReason::Failed)) {
            Kept::Written(writer) => Opened::Writer(Recorded::new(writer, streamed, Has::All)),
            _ => Opened::NoStore,
        },
        Kept::InMemory => match job.open_as(streamed.document().map(|_| "application/json"), saves) {
            Opened::Writer(writer) if streamed.document().is_some() && !streamed.is_plain() => {
                Opened::Writer(Recorded::new(writer, streamed, Has::Nothing))
            }
            Opened::Writer(mut writer) => {
                let raw = streamed.document().map(str::as_bytes).or(streamed.raw.as_deref());
                let bytes = raw.unwrap_or(streamed.ends.head.as_bytes());
                if saves == Saves::OnlyQuick && bytes.len() > QUICK_BYTES {
                    return Opened::NeedsThread;
                }
                match writer.write(bytes) {
                    Ok(()) => Opened::Writer(Recorded::new(writer, streamed, Has::All)),
                    Err(error) => Opened::Refused(error.reason()),
                }
            }
            other => other,
        },
    }
}

/// Tells the stream where it has come to.
struct Recorded {
    writer: Box<dyn ArtifactWriter>,
    kept: Arc<Mutex<Kept>>,
    /// Its length in characters, where it is written already: what is shown of it is not what is stored.
    written: Option<usize>,
}

/// What a writer has of a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Has {
    All,
    Nothing,
}

impl Recorded {
    #[expect(clippy::new_ret_no_self, reason = "nobody needs its type")]
    fn new(writer: Box<dyn ArtifactWriter>, streamed: &Streamed, has: Has) -> Box<dyn ArtifactWriter> {
        let written = (has == Has::All).then(|| streamed.chars());
        Box::new(Self { writer, kept: Arc::clone(&streamed.kept), written })
    }
}

impl ArtifactWriter for Recorded {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        match self.written {
            Some(_) => Ok(()),
            None => self.writer.write(bytes),
        }
    }

    fn finish(self: Box<Self>, chars: usize) -> Result<ArtifactRef, StoreError> {
        let Self { writer, kept, written } = *self;
        let saved = contain::call(|| writer.finish(written.unwrap_or(chars)))
            .unwrap_or_else(|Panicked(_)| Err(StoreError::new(StoreReason::Failed)));
        *lock(&kept) = match &saved {
            Ok(artifact) => Kept::Saved(artifact.clone()),
            Err(error) => Kept::Refused(error.reason()),
        };
        saved
    }

    fn abort(self: Box<Self>) {
        self.writer.abort();
    }
}

/// The stream that this result is, or that its view or its content parts stand for.
fn streamed(job: &Job) -> Option<&Streamed> {
    job.output.as_stream().filter(|_| matches!(job.facing, Facing::Full | Facing::View(..) | Facing::Parts(_)))
}

/// The line that says that not everything is there.
pub(super) fn title(job: &Job) -> Option<String> {
    let bytes = streamed(job)?.stopped_at?;
    Some(format!("[Partial: the output was stopped at {bytes} bytes]"))
}

/// Whether the stream is written, or was, and waits to become an artifact.
pub(super) fn is_written(job: &Job) -> bool {
    streamed(job).is_some_and(|streamed| match &*streamed.kept() {
        Kept::Written(_) | Kept::Saved(_) => true,
        // Only its ends are left when the call is over.
        Kept::InMemory => !streamed.ends.is_whole(),
        Kept::Refused(_) | Kept::NoStore | Kept::Dropped => false,
    })
}

/// Says in the receipt that not everything is there.
pub(super) fn record(receipt: &mut Receipt, job: &Job) {
    let Some(bytes) = streamed(job).and_then(|streamed| streamed.stopped_at) else { return };
    if receipt.artifact.is_some() {
        receipt.saved = Some("saved (partial)".to_owned());
    }
    receipt.notes.push(format!("the output is partial: it was stopped at {bytes} bytes"));
}
