//! Holds what a whole turn makes the model read to one budget: the longest texts are cut first.

use crate::{call::Told, conversation::Conversation, cut, outcome::Outcome, thread::Place};

/// Attempts. A text that can't be cut as far as it should (its header, fence and notices stay) makes the others pay
/// in the next one.
const ROUNDS: usize = 4;

/// `budget` is in characters, for all texts together.
pub(crate) async fn hold(mut told: Vec<Told>, budget: usize, conversation: Option<&Conversation>) -> Vec<Outcome> {
    let mut lengths: Vec<usize> = told.iter().map(|told| told.outcome.receipt.model_chars).collect();
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
                told.shrink(allowance, Place::Task).await;
                *chars = told.outcome.receipt.model_chars;
                *fixed = *chars > allowance;
            }
        }
    }
    if let Some(conversation) = conversation {
        told.iter().for_each(|told| conversation.keep(told.outcome.artifact()));
    }
    told.into_iter().map(|told| told.outcome).collect()
}
