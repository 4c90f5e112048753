//! Writes a full result to the store while it streams by; whatever the store does, the stream goes on.

use std::{mem, ops::ControlFlow};

use super::Unfit;
use crate::{
    artifact::{ArtifactRef, ArtifactWriter, Saved, StoreReason},
    json::Fault,
};

/// What came of starting a save.
pub(crate) enum Opened {
    Writer(Box<dyn ArtifactWriter>),
    Refused(StoreReason),
    /// It has been saved already.
    Saved(ArtifactRef),
    NoStore,
    /// The store blocks, and this thread must not.
    NeedsThread,
}

/// Where a full result goes, if it has to be saved.
pub(crate) struct Saving<'a> {
    /// Called when the first text has to be saved, once for each pass.
    pub(crate) open: &'a mut dyn FnMut() -> Opened,
    /// Bytes that may be saved on this thread; more give [`Unfit::NeedsThread`]. `None`: any number.
    pub(crate) inline_bytes: Option<usize>,
}

pub(super) struct Saver<'s, 'a> {
    saving: &'s mut Saving<'a>,
    state: State,
    bytes: usize,
}

enum State {
    Idle,
    Writing(Box<dyn ArtifactWriter>),
    Done(Saved),
    NeedsThread,
}

impl<'s, 'a> Saver<'s, 'a> {
    pub(super) fn new(saving: &'s mut Saving<'a>) -> Self {
        Self { saving, state: State::Idle, bytes: 0 }
    }

    /// Starts the save, unless it has been started.
    pub(super) fn open(&mut self) {
        if matches!(self.state, State::Idle) {
            self.state = match (self.saving.open)() {
                Opened::Writer(writer) => State::Writing(writer),
                Opened::Saved(artifact) => State::Done(Saved::Yes(artifact)),
                Opened::Refused(reason) => State::Done(Saved::No(reason)),
                Opened::NoStore => State::Done(Saved::Never),
                Opened::NeedsThread => State::NeedsThread,
            };
        }
    }

    /// Saves the next piece. Breaks off only where another thread has to start again.
    pub(super) fn write(&mut self, piece: &str) -> ControlFlow<()> {
        self.open();
        self.bytes = self.bytes.saturating_add(piece.len());
        if let State::Writing(writer) = &mut self.state {
            if self.saving.inline_bytes.is_some_and(|most| self.bytes > most) {
                self.end(State::NeedsThread);
            } else if let Err(error) = writer.write(piece.as_bytes()) {
                self.end(State::Done(Saved::No(error.reason())));
            }
        }
        match self.state {
            State::NeedsThread => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    /// The whole text, of `chars` characters, has been written.
    pub(super) fn finish(self, chars: usize) -> Result<Saved, Unfit> {
        match self.state {
            State::Idle => Ok(Saved::Never),
            State::Writing(writer) => Ok(match writer.finish(chars) {
                Ok(artifact) => Saved::Yes(artifact),
                Err(error) => Saved::No(error.reason()),
            }),
            State::Done(saved) => Ok(saved),
            State::NeedsThread => Err(Unfit::NeedsThread),
        }
    }

    /// The text ended with a fault: nothing stays behind.
    pub(super) fn fail(mut self, fault: Fault) -> Unfit {
        if matches!(self.state, State::NeedsThread) {
            return Unfit::NeedsThread;
        }
        self.end(State::Idle);
        Unfit::Fault(fault)
    }

    fn end(&mut self, state: State) {
        if let State::Writing(writer) = mem::replace(&mut self.state, state) {
            writer.abort();
        }
    }
}
