//! A call's place: in its conversation, and among the calls of one turn.
//!
//! Calls of a turn run at the same time, and the loop guard still decides as if they ran one after the other. What
//! they came to is recorded in the order of the request; and a call that the guard might refuse, should every call
//! before it give the result that it gave the last time, waits until it is known what they gave.

use std::{
    future::poll_fn,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
};

use crate::{
    conversation::{Refused, Talk},
    guard::{CallKey, LoopVerdict},
    outcome::{Outcome, Status},
    resolve::End,
    value::Output,
};

/// Where one call sits. Leaving it, for whatever reason, lets those behind go on.
pub(crate) struct Seat {
    conversation: Option<Arc<dyn Talk>>,
    key: Option<CallKey>,
    turn: Option<(Arc<Turn>, usize)>,
    admitted: LoopVerdict,
}

/// The calls of one turn.
pub(crate) struct Turn {
    progress: Mutex<Progress>,
    /// Whether the guard has to see all earlier results before it can tell about this call.
    waits: Vec<bool>,
}

struct Progress {
    left: Vec<bool>,
    ran: Vec<bool>,
    /// All calls before this one have left.
    first: usize,
    waiting: Vec<Option<Waker>>,
}

impl Turn {
    /// `keys` are those of the turn's calls, in order; `None` where no guard looks.
    pub(crate) fn new(conversation: Option<&dyn Talk>, keys: &[Option<CallKey>]) -> Self {
        let count = keys.len();
        let progress =
            Progress { left: vec![false; count], ran: vec![false; count], first: 0, waiting: vec![None; count] };
        let waits = conversation.map_or_else(|| vec![false; count], |conversation| conversation.waits(keys));
        Self { progress: Mutex::new(progress), waits }
    }

    /// Whether the tool of this call has come to its end.
    pub(crate) fn has_run(&self, index: usize) -> bool {
        self.progress().ran[index]
    }

    fn set_run(&self, index: usize) {
        self.progress().ran[index] = true;
    }

    async fn all_before_left(&self, index: usize) {
        poll_fn(|context| {
            let mut progress = self.progress();
            if progress.first >= index {
                return Poll::Ready(());
            }
            let old = progress.waiting[index].replace(context.waker().clone());
            drop(progress);
            // With the task that it may own.
            drop(old);
            Poll::Pending
        })
        .await;
    }

    fn leave(&self, index: usize) {
        let mut progress = self.progress();
        if mem::replace(&mut progress.left[index], true) {
            return;
        }
        while progress.left.get(progress.first) == Some(&true) {
            progress.first += 1;
        }
        let first = progress.first;
        let waker = progress.waiting.get_mut(first).and_then(Option::take);
        drop(progress);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Of a call that belongs to no session.
    pub(crate) fn alone() -> Self {
        Self { conversation: None, key: None, turn: None, admitted: LoopVerdict::Pass }
    }

    /// Of a single call in a conversation.
    pub(crate) fn new(conversation: Arc<dyn Talk>, key: Option<CallKey>) -> Self {
        Self { conversation: Some(conversation), key, turn: None, admitted: LoopVerdict::Pass }
    }

    pub(crate) fn in_turn(
        conversation: Option<Arc<dyn Talk>>,
        key: Option<CallKey>,
        turn: Arc<Turn>,
        index: usize,
    ) -> Self {
        Self { conversation, key, turn: Some((turn, index)), admitted: LoopVerdict::Pass }
    }

    /// Whether it is one of several calls.
    pub(crate) fn is_in_turn(&self) -> bool {
        self.turn.is_some()
    }

    /// The session's id.
    pub(crate) fn session(&self) -> Option<&Arc<str>> {
        self.conversation.as_ref().map(|conversation| conversation.id())
    }

    /// Asks the loop guard whether the call may run. A refused call has been counted, and is not to be recorded.
    pub(crate) async fn admit(&mut self) -> Result<(), Refused> {
        if let (Some(conversation), Some(_), Some((turn, index))) = (&self.conversation, self.key, &self.turn) {
            if !turn.waits[*index] {
                // Nothing in this turn can stop it; only somebody else who uses the session.
                let Some(refused) = conversation.halted() else { return Ok(()) };
                self.key = None;
                return Err(refused);
            }
            turn.all_before_left(*index).await;
        }
        self.admit_now()
    }

    /// The same where nobody has to be waited for.
    pub(crate) fn admit_now(&mut self) -> Result<(), Refused> {
        let (Some(conversation), Some(key)) = (&self.conversation, self.key) else { return Ok(()) };
        match conversation.admit(key) {
            Ok(verdict) => {
                self.admitted = verdict;
                Ok(())
            }
            Err(refused) => {
                self.key = None;
                Err(refused)
            }
        }
    }

    /// Shows the loop guard what the call came to; a sentence for the model, where there is something to say.
    pub(crate) async fn observe(&mut self, status: Status, output: &Output, end: &End) -> Option<String> {
        self.has_run();
        let seen = self.see(status, output, end);
        if let (Some(_), Some((turn, index))) = (&seen, &self.turn) {
            turn.all_before_left(*index).await;
        }
        let note = self.record(seen);
        self.leave();
        note
    }

    /// The same where nobody has to be waited for.
    pub(crate) fn observe_now(&mut self, status: Status, output: &Output, end: &End) -> Option<String> {
        let seen = self.see(status, output, end);
        self.record(seen)
    }

    /// The call, and a hash of its result.
    fn see(&mut self, status: Status, output: &Output, end: &End) -> Option<(CallKey, u64)> {
        let (conversation, key) = (self.conversation.as_ref()?, self.key.take()?);
        // It was not the tool that answered.
        if matches!(status, Status::Busy | Status::Cancelled) {
            return None;
        }
        Some((key, conversation.digest(status, output, end)))
    }

    fn record(&self, seen: Option<(CallKey, u64)>) -> Option<String> {
        let (key, result) = seen?;
        self.conversation.as_ref()?.record(key, result, self.admitted)
    }

    /// Notes what the call saved.
    pub(crate) fn keep(&self, outcome: &Outcome) {
        if let Some(conversation) = &self.conversation {
            conversation.keep(outcome);
        }
    }

    fn has_run(&self) {
        if let Some((turn, index)) = &self.turn {
            turn.set_run(*index);
        }
    }

    fn leave(&self) {
        if let Some((turn, index)) = &self.turn {
            turn.leave(*index);
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.has_run();
        self.leave();
    }
}
