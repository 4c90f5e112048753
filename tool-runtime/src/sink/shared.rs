//! One stream and all who write to it.

use std::{
    io, mem,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    task::Waker,
};

use super::engine::{BLOCK, Engine};
use crate::stream::{Plan, Streamed, lock};

/// Bytes that may wait for the store: 256 KiB.
pub(super) const MOST: usize = 4 * BLOCK;

/// A longer line is passed on in pieces.
const LINE: usize = BLOCK;

pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    /// The engine is back.
    back: Condvar,
}

pub(super) struct State {
    /// What each writer has written of a line.
    lines: Vec<Vec<u8>>,
    /// Whole lines, for the engine.
    pub(super) filled: Vec<u8>,
    /// Whose line `filled` ends in the middle of.
    inside: Option<usize>,
    /// `None` while somebody works with it.
    pub(super) engine: Option<Box<Engine>>,
    /// Work was handed to the blocking pool.
    #[cfg(feature = "tokio")]
    pub(super) scheduled: bool,
    pub(super) end: Option<End>,
    pub(super) waiting: Vec<Waker>,
}

/// Why nothing more is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Full,
    Finished,
}

impl Shared {
    pub(super) fn new(plan: Plan) -> Self {
        let state = State {
            lines: vec![Vec::new()],
            filled: Vec::new(),
            inside: None,
            engine: Some(Box::new(Engine::new(plan))),
            #[cfg(feature = "tokio")]
            scheduled: false,
            end: None,
            waiting: Vec::new(),
        };
        Self { state: Mutex::new(state), back: Condvar::new() }
    }

    pub(super) fn set_most(&self, bytes: u64) {
        if let Some(engine) = &mut self.with_engine(lock(&self.state)).engine {
            engine.set_most(bytes);
        }
    }

    pub(super) fn expect_json(&self) {
        if let Some(engine) = &mut self.with_engine(lock(&self.state)).engine {
            engine.expect_json();
        }
    }

    /// Another writer.
    pub(super) fn join(&self) -> usize {
        let mut state = lock(&self.state);
        state.lines.push(Vec::new());
        state.lines.len() - 1
    }

    /// A writer is gone.
    pub(super) fn leave(&self, writer: usize) {
        let mut state = lock(&self.state);
        if state.end.is_none() {
            state.end_line(writer);
        }
    }

    pub(super) fn end(&self) -> Option<End> {
        lock(&self.state).end
    }

    /// Takes the beginning of `bytes`, and does the work that is due.
    pub(super) fn write(&self, writer: usize, bytes: &[u8]) -> io::Result<usize> {
        let mut state = lock(&self.state);
        state.check()?;
        let taken = state.append(writer, bytes);
        drop(self.work_on(state));
        Ok(taken)
    }

    /// Feeds whole blocks to the engine, unless somebody else does; waits for that only where too much is waiting.
    pub(super) fn work_on<'s>(&'s self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        while state.filled.len() >= BLOCK {
            let Some(mut engine) = state.engine.take() else {
                if state.filled.len() < MOST {
                    return state;
                }
                state = self.back.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let whole = state.filled.len() / BLOCK * BLOCK;
            let rest = state.filled.split_off(whole);
            let blocks = mem::replace(&mut state.filled, rest);
            drop(state);
            engine.feed(&blocks);
            state = lock(&self.state);
            if engine.is_full() {
                state.end.get_or_insert(End::Full);
                state.filled.clear();
            }
            state.engine = Some(engine);
            let waiting = mem::take(&mut state.waiting);
            drop(state);
            self.back.notify_all();
            // Whoever is woken may write on the spot.
            waiting.into_iter().for_each(Waker::wake);
            state = lock(&self.state);
        }
        state
    }

    /// Waits until the engine is here.
    fn with_engine<'s>(&'s self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        while state.engine.is_none() && state.end != Some(End::Finished) {
            state = self.back.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    /// All that was written. Whatever others write from now on is refused.
    pub(super) fn finish(&self) -> Option<Streamed> {
        let mut state = self.with_engine(lock(&self.state));
        if state.end.is_none() {
            (0..state.lines.len()).for_each(|writer| state.end_line(writer));
        }
        state.end = Some(End::Finished);
        let mut engine = state.engine.take()?;
        let filled = mem::take(&mut state.filled);
        let waiting = mem::take(&mut state.waiting);
        drop(state);
        self.back.notify_all();
        waiting.into_iter().for_each(Waker::wake);
        engine.feed(&filled);
        Some(engine.finish())
    }
}

impl State {
    pub(super) fn check(&self) -> io::Result<()> {
        match self.end {
            None => Ok(()),
            Some(End::Full) => Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                "the stream has reached its ceiling (`max_bytes`); stop writing and return what `finish` gives",
            )),
            Some(End::Finished) => Err(io::Error::new(io::ErrorKind::BrokenPipe, "the stream is finished")),
        }
    }

    /// Takes no more than there is room for. What is no whole line yet waits for its end.
    pub(super) fn append(&mut self, writer: usize, bytes: &[u8]) -> usize {
        let bytes = &bytes[..bytes.len().min(MOST)];
        let whole = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
        let (lines, begun) = bytes.split_at(whole);
        if !lines.is_empty() {
            self.flush(writer);
            self.filled.extend_from_slice(lines);
            self.inside = None;
        }
        self.lines[writer].extend_from_slice(begun);
        if self.lines[writer].len() >= LINE {
            self.flush(writer);
        }
        bytes.len()
    }

    /// Passes on what the writer has of a line. Another's line that was left open is ended first.
    fn flush(&mut self, writer: usize) {
        if self.inside.is_some_and(|other| other != writer) {
            self.filled.push(b'\n');
            self.inside = None;
        }
        if !self.lines[writer].is_empty() {
            self.filled.append(&mut self.lines[writer]);
            self.inside = Some(writer);
        }
    }

    pub(super) fn end_line(&mut self, writer: usize) {
        if !self.lines[writer].is_empty() {
            self.flush(writer);
        }
    }
}
