//! Writing in async code: whatever may take long goes to the blocking pool.

use std::{
    io, mem,
    pin::Pin,
    sync::{Arc, MutexGuard},
    task::{Context, Poll, Waker},
};

use tokio::io::AsyncWrite;

use super::{
    OutputSink,
    engine::BLOCK,
    shared::{MOST, Shared, State},
};
use crate::{stream::lock, thread};

impl AsyncWrite for OutputSink {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.shared.poll_write(self.writer, bytes, context.waker())
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.shared.poll_through(self.writer, context.waker()).map(Ok)
    }
}

impl Shared {
    /// Takes the beginning of `bytes`, as soon as there is room.
    fn poll_write(self: &Arc<Self>, writer: usize, bytes: &[u8], waker: &Waker) -> Poll<io::Result<usize>> {
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
    fn poll_through(self: &Arc<Self>, writer: usize, waker: &Waker) -> Poll<()> {
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
}

impl State {
    fn wait(&mut self, waker: &Waker) {
        if !self.waiting.iter().any(|known| known.will_wake(waker)) {
            self.waiting.push(waker.clone());
        }
    }
}
