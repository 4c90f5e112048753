//! One stream and all who write to it.

use std::{
    io, mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
};

use super::engine::{BLOCK, Engine};
use crate::{
    stream::{Plan, Streamed, lock},
    thread,
};

/// Bytes that may wait for the store: 256 KiB.
const MOST: usize = 4 * BLOCK;

/// A longer line is passed on in pieces.
const LINE: usize = BLOCK;

pub(super) struct Shared {
    state: Mutex<State>,
    /// The engine is back.
    back: Condvar,
}

struct State {
    /// What each writer has written of a line.
    lines: Vec<Vec<u8>>,
    /// Whole lines, for the engine.
    filled: Vec<u8>,
    /// Whose line `filled` ends in the middle of.
    inside: Option<usize>,
    /// `None` while somebody works with it.
    engine: Option<Box<Engine>>,
    /// Work was handed to the blocking pool.
    scheduled: bool,
    end: Option<End>,
    waiting: Vec<Waker>,
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

    /// The same without ever waiting: what takes long goes to the blocking pool.
    pub(super) fn poll_write(self: &Arc<Self>, writer: usize, bytes: &[u8], waker: &Waker) -> Poll<io::Result<usize>> {
        let mut state = lock(&self.state);
        if let Err(error) = state.check() {
            return Poll::Ready(Err(error));
        }
        if state.filled.len() >= MOST {
            state.wait(waker);
            self.schedule(state);
            return Poll::Pending;
        }
        let taken = state.append(writer, bytes);
        if state.filled.len() >= BLOCK {
            self.schedule(state);
        }
        Poll::Ready(Ok(taken))
    }

    /// Ready when all whole blocks are through, with the writer's last line ended.
    pub(super) fn poll_through(self: &Arc<Self>, writer: usize, waker: &Waker) -> Poll<()> {
        let mut state = lock(&self.state);
        if state.end.is_some() {
            return Poll::Ready(());
        }
        state.end_line(writer);
        if state.engine.is_some() && state.filled.len() < BLOCK {
            return Poll::Ready(());
        }
        state.wait(waker);
        self.schedule(state);
        Poll::Pending
    }

    /// Works here, or on the blocking pool where that may take long.
    fn schedule(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        match &state.engine {
            // Whoever has it goes on until nothing is left to do.
            None => {}
            Some(engine) if engine.blocks() && thread::is_inside_runtime() => {
                if mem::replace(&mut state.scheduled, true) {
                    return;
                }
                drop(state);
                let shared = Arc::clone(self);
                drop(thread::run_apart(move || {
                    let mut state = lock(&shared.state);
                    state.scheduled = false;
                    drop(shared.work_on(state));
                }));
            }
            Some(_) => drop(self.work_on(state)),
        }
    }

    /// Feeds whole blocks to the engine, unless somebody else does; waits for that only where too much is waiting.
    fn work_on<'s>(&'s self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
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
            state.waiting.drain(..).for_each(Waker::wake);
            self.back.notify_all();
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
        state.waiting.drain(..).for_each(Waker::wake);
        drop(state);
        self.back.notify_all();
        engine.feed(&filled);
        Some(engine.finish())
    }
}

impl State {
    fn check(&self) -> io::Result<()> {
        match self.end {
            None => Ok(()),
            Some(End::Full) => {
                Err(io::Error::new(io::ErrorKind::FileTooLarge, "the stream has reached its ceiling; finish it"))
            }
            Some(End::Finished) => Err(io::Error::new(io::ErrorKind::BrokenPipe, "the stream is finished")),
        }
    }

    fn wait(&mut self, waker: &Waker) {
        if !self.waiting.iter().any(|known| known.will_wake(waker)) {
            self.waiting.push(waker.clone());
        }
    }

    /// Takes no more than there is room for. What is no whole line yet waits for its end.
    fn append(&mut self, writer: usize, bytes: &[u8]) -> usize {
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

    fn end_line(&mut self, writer: usize) {
        if !self.lines[writer].is_empty() {
            self.flush(writer);
        }
    }
}
