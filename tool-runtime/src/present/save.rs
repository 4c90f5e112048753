//! Saves of one call: a store that panics has refused, and nothing stays of a call whose caller has gone.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::{
    artifact::{ArtifactMeta, ArtifactRef, ArtifactWriter, StoreError, StoreReason},
    contain::{self, Panicked},
    policy::Yields,
    truncate::Opened,
};

use super::{Job, Saves};

/// Whether the caller still waits. As long as nothing is done apart, there is nothing to ask.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caller(Option<Arc<AtomicBool>>);

impl Caller {
    /// A caller that may go while the work goes on. [`Waits`] dropped before its [`end`](Waits::end) says that it
    /// has gone.
    pub(super) fn waiting() -> (Self, Waits) {
        let gone = Arc::new(AtomicBool::new(false));
        (Self(Some(Arc::clone(&gone))), Waits(Some(gone)))
    }

    fn is_gone(&self) -> bool {
        self.0.as_ref().is_some_and(|gone| gone.load(Ordering::Acquire))
    }
}

pub(super) struct Waits(Option<Arc<AtomicBool>>);

impl Waits {
    pub(super) fn end(mut self) {
        self.0 = None;
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        if let Some(gone) = &self.0 {
            gone.store(true, Ordering::Release);
        }
    }
}

impl Job {
    /// Opens a save of this call's full result.
    pub(super) fn open(&self, is_json: bool, saves: Saves) -> Opened {
        let keeps = self.policy.yields == Yields::Results;
        let Some(store) = self.inner.store.as_ref().filter(|_| keeps) else { return Opened::NoStore };
        if let Some(artifact) = &self.kept {
            return Opened::Saved(artifact.clone());
        }
        let tool = &*self.tool;
        let opened = contained(|| {
            if saves == Saves::OnlyQuick && store.blocks() {
                return Ok(None);
            }
            let now = self.inner.clock.now();
            let meta = if is_json { ArtifactMeta::json(tool, now) } else { ArtifactMeta::text(tool, now) };
            let meta = match &self.session {
                Some(session) => meta.with_session(&**session),
                None => meta,
            };
            store.create(&meta.with_trust(self.policy.trust)).map(Some)
        });
        match opened {
            Ok(Some(writer)) => Opened::Writer(self.careful(writer)),
            Ok(None) => Opened::NeedsThread,
            Err(error) => {
                warn(tool, &error);
                Opened::Refused(error.reason())
            }
        }
    }
}

impl Job {
    pub(super) fn careful(&self, writer: Box<dyn ArtifactWriter>) -> Box<dyn ArtifactWriter> {
        let tool = Arc::clone(&self.tool);
        Box::new(Careful { writer: Some(writer), caller: self.caller.clone(), tool })
    }
}

/// A writer of the user's store. Whatever happens to the call, the writer is finished or aborted.
struct Careful {
    /// Gone with the first error.
    writer: Option<Box<dyn ArtifactWriter>>,
    caller: Caller,
    tool: Arc<str>,
}

impl ArtifactWriter for Careful {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let Some(writer) = &mut self.writer else { return Err(StoreReason::Failed.into()) };
        let written = contained(|| writer.write(bytes));
        if let Err(error) = &written {
            warn(&self.tool, error);
            self.abandon();
        }
        written
    }

    fn finish(mut self: Box<Self>, chars: usize) -> Result<ArtifactRef, StoreError> {
        if self.caller.is_gone() {
            // Dropping it aborts.
            return Err(StoreReason::Failed.into());
        }
        let Some(writer) = self.writer.take() else { return Err(StoreReason::Failed.into()) };
        contained(|| writer.finish(chars)).inspect_err(|error| warn(&self.tool, error))
    }

    fn abort(self: Box<Self>) {}
}

impl Careful {
    fn abandon(&mut self) {
        if let Some(writer) = self.writer.take() {
            let _ = contain::call(|| writer.abort());
        }
    }
}

impl Drop for Careful {
    fn drop(&mut self) {
        self.abandon();
    }
}

/// Once for each save that fails.
fn warn(tool: &str, error: &StoreError) {
    tracing::warn!(tool, reason = %error, "a full result could not be saved");
}

fn contained<T>(work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    contain::call(work).unwrap_or_else(|Panicked(_)| Err(StoreReason::Failed.into()))
}
