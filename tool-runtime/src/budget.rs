//! Holds what a whole turn makes the model read to one budget: the longest texts are cut first.

use std::{mem, sync::Arc};

use crate::{
    call::Told,
    conversation::Talk,
    cut,
    outcome::Outcome,
    policy::Scope,
    present::{self, NeedsThread},
    thread::Place,
};

/// For the receipt.
const NOTE: &str = "cut to hold the whole turn to its budget";

/// Attempts. A text that can't be cut as far as it should (its header, fence and notices stay) makes the others pay
/// in the next one.
const ROUNDS: usize = 4;

/// `budget` is in characters, for all texts together.
pub(crate) async fn hold(mut told: Vec<Told>, budget: usize, conversation: Option<&dyn Talk>) -> Vec<Outcome> {
    let mut lengths: Vec<usize> = told.iter().map(|told| told.outcome.shown.receipt.model_chars).collect();
    let mut fixed: Vec<bool> = told.iter().map(|told| told.job.is_none()).collect();
    for _ in 0..ROUNDS {
        if lengths.iter().sum::<usize>() <= budget {
            break;
        }
        let of =
            |kind: bool| lengths.iter().zip(&fixed).filter(move |(_, fixed)| **fixed == kind).map(|(&chars, _)| chars);
        let room = budget.saturating_sub(of(true).sum());
        let allowance = cut::allowance(&of(false).collect::<Vec<_>>(), room);
        for ((told, chars), fixed) in told.iter_mut().zip(&mut lengths).zip(&mut fixed) {
            if !*fixed && *chars > allowance {
                shrink(told, allowance).await;
                *chars = told.outcome.shown.receipt.model_chars;
                *fixed = *chars > allowance;
            }
        }
    }
    if let Some(conversation) = conversation {
        for told in &told {
            conversation.keep(&told.outcome);
        }
    }
    let mut outcomes: Vec<Outcome> = told.into_iter().map(|told| told.outcome).collect();
    share(budget, &mut outcomes);
    outcomes
}

/// What goes beside the texts may be as much again, in equal shares: to know how long it is would take writing it.
fn share(budget: usize, outcomes: &mut [Outcome]) {
    let share = budget / outcomes.len().max(1);
    for promise in outcomes.iter_mut().filter_map(|outcome| outcome.promise.as_mut()) {
        let promise = Arc::make_mut(promise);
        promise.policy.limit = Some(promise.policy.limit.map_or(share, |limit| limit.min(share)));
    }
}

/// Presents the result again, `chars` characters long at most with all that is ours.
async fn shrink(told: &mut Told, chars: usize) {
    let Some(mut job) = told.job.take() else { return };
    let Told { outcome, job: place } = told;
    job.policy.limit = Some(job.policy.limit.map_or(chars, |limit| limit.min(chars)));
    job.policy.scope = Scope::Total;
    job.kept.clone_from(&outcome.shown.receipt.artifact);
    let presented = match present::at_once(&job, Place::Task) {
        Ok(presented) => presented,
        Err(NeedsThread) => {
            let presented;
            (presented, *job) = present::apart(*job).await;
            presented
        }
    };
    *place = Some(job);
    let before = mem::replace(&mut outcome.shown, presented.shown).receipt;
    let receipt = &mut outcome.shown.receipt;
    receipt.full_chars = receipt.full_chars.or(before.full_chars);
    receipt.raw_chars = receipt.raw_chars.or(before.raw_chars);
    receipt.artifact = receipt.artifact.take().or(before.artifact);
    receipt.saved = receipt.saved.take().or(before.saved);
    receipt.attempts = before.attempts;
    receipt.still_running = before.still_running;
    receipt.duration = before.duration;
    receipt.notes = before.notes;
    if !receipt.notes.iter().any(|note| note == NOTE) {
        receipt.notes.push(NOTE.to_owned());
    }
}
