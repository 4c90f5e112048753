//! Gathers the many small writes of a JSON writer into pieces of text.

use std::{cell::Cell, io, mem, ops::ControlFlow};

use super::Push;

/// Bytes; large enough that the reader's work per piece doesn't show, small enough for the first cache.
const PIECE: usize = 8 * 1024;

thread_local! {
    /// Of the last writer on this thread, for the next: many values are a few bytes long. A writer inside a writer
    /// finds none and makes its own.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Every write must be text by itself; writes are never split over two pieces.
pub(super) struct Sink<'a> {
    push: Push<'a>,
    buffer: Vec<u8>,
    state: ControlFlow<()>,
}

impl<'a> Sink<'a> {
    pub(super) fn new(push: Push<'a>) -> Self {
        // While a thread ends its locals are gone.
        let buffer = BUFFER.try_with(Cell::take).unwrap_or_default();
        Self { push, buffer, state: ControlFlow::Continue(()) }
    }

    /// Hands over what is left, unless the reader has stopped.
    pub(super) fn flush_text(&mut self) -> ControlFlow<()> {
        if self.state.is_continue() && !self.buffer.is_empty() {
            self.state = push_bytes(self.push, &self.buffer);
            self.buffer.clear();
        }
        self.state
    }

    #[inline]
    pub(super) fn write(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        if self.buffer.len() + bytes.len() > PIECE {
            return self.write_past(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        self.state
    }

    #[cold]
    fn write_past(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        self.flush_text()?;
        if bytes.len() > PIECE {
            // A long string goes through as it is, without a copy.
            self.state = push_bytes(self.push, bytes);
            return self.state;
        }
        self.buffer.extend_from_slice(bytes);
        self.state
    }
}

impl Drop for Sink<'_> {
    fn drop(&mut self) {
        self.buffer.clear();
        let buffer = mem::take(&mut self.buffer);
        let _ = BUFFER.try_with(|place| place.set(buffer));
    }
}

/// A JSON writer's bytes are text; were they not, the walk would end.
fn push_bytes(push: Push<'_>, bytes: &[u8]) -> ControlFlow<()> {
    std::str::from_utf8(bytes).map_or(ControlFlow::Break(()), push)
}

impl io::Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match Sink::write(self, bytes) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
