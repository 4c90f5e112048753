//! The calls of one turn, at the same time.

use std::{collections::VecDeque, future::poll_fn, sync::Arc, task::Poll};

use crate::{
    budget,
    call::{self, Told},
    conversation::Talk,
    join::Join,
    outcome::Outcome,
    registry::Inner,
    request::ToolCall,
    seat::{Seat, Turn},
    thread::Place,
};

/// Polls of calls before the task gives way to others.
const POLLS: usize = 64;

/// Runs all calls; one outcome for each, in their order.
pub(crate) async fn all(inner: Arc<Inner>, conversation: Option<Arc<dyn Talk>>, calls: Vec<ToolCall>) -> Vec<Outcome> {
    let keys: Vec<_> = calls.iter().map(|call| call::key(&inner, conversation.as_deref()?, call)).collect();
    let turn = Arc::new(Turn::new(conversation.as_deref(), &keys));
    let mut lanes = Lanes::new(inner.turns.max_concurrent, calls.iter().map(|call| is_serial(&inner, call)));
    let mut told: Vec<Option<Told>> = calls.iter().map(|_| None).collect();
    let mut missing = calls.len();
    let mut join = Join::new(calls.len());
    let mut calls: Vec<Option<ToolCall>> = calls.into_iter().map(Some).collect();
    poll_fn(|context| {
        for _ in 0..POLLS {
            while let Some(index) = lanes.next() {
                if let Some(mut call) = calls[index].take() {
                    let seat = Seat::in_turn(conversation.clone(), keys[index], Arc::clone(&turn), index);
                    let inner = Arc::clone(&inner);
                    join.start(index, Box::pin(async move { call::tell(inner, &mut call, Place::Task, seat).await }));
                }
            }
            let Some(index) = join.next(context.waker()) else {
                return if missing == 0 { Poll::Ready(()) } else { Poll::Pending };
            };
            if let Poll::Ready(done) = join.poll(index) {
                told[index] = Some(done);
                missing -= 1;
            }
            if turn.has_run(index) {
                lanes.has_run(index);
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
    let told: Vec<Told> = told.into_iter().flatten().collect();
    match inner.turns.budget {
        Some(budget) => budget::hold(told, budget, conversation.as_deref()).await,
        None => told.into_iter().map(|told| told.outcome).collect(),
    }
}

/// Whether calls of this tool run one at a time, in the order of the request.
fn is_serial(inner: &Inner, call: &ToolCall) -> bool {
    inner.names.find(&call.name).is_some_and(|found| {
        let spec = &inner.tools[found.index].spec;
        spec.approval || spec.hints.destructive == Some(true)
    })
}

/// Which calls may start: the first that may, as long as there is room.
///
/// A call that waits for an earlier one holds no place that the earlier one needs: when a place falls free, the
/// first call that may start gets it.
struct Lanes {
    free: VecDeque<usize>,
    serial: VecDeque<usize>,
    /// The serial call that runs.
    busy: Option<usize>,
    running: Vec<usize>,
    most: usize,
}

impl Lanes {
    /// `serial` says of each call whether it must not run beside another such call.
    fn new(most: usize, serial: impl Iterator<Item = bool>) -> Self {
        let mut lanes = Self { free: VecDeque::new(), serial: VecDeque::new(), busy: None, running: Vec::new(), most };
        for (index, is_serial) in serial.enumerate() {
            if is_serial { lanes.serial.push_back(index) } else { lanes.free.push_back(index) }
        }
        lanes
    }

    fn next(&mut self) -> Option<usize> {
        if self.running.len() >= self.most {
            return None;
        }
        let free = self.free.front().copied();
        let serial = self.serial.front().filter(|_| self.busy.is_none()).copied();
        let index = match (free, serial) {
            (Some(free), Some(serial)) => free.min(serial),
            (free, serial) => free.or(serial)?,
        };
        if serial == Some(index) {
            self.serial.pop_front();
            self.busy = Some(index);
        } else {
            self.free.pop_front();
        }
        self.running.push(index);
        Some(index)
    }

    fn has_run(&mut self, index: usize) {
        self.running.retain(|&running| running != index);
        self.busy = self.busy.filter(|&busy| busy != index);
    }
}

#[cfg(test)]
mod tests {
    use super::Lanes;

    #[test]
    fn serial_calls_never_run_side_by_side_and_others_overtake_them() {
        let mut lanes = Lanes::new(3, [true, true, false, false, false].into_iter());
        assert_eq!([lanes.next(), lanes.next(), lanes.next(), lanes.next()], [Some(0), Some(2), Some(3), None]);
        lanes.has_run(2);
        assert_eq!([lanes.next(), lanes.next()], [Some(4), None]);
        lanes.has_run(0);
        assert_eq!([lanes.next(), lanes.next()], [Some(1), None]);
    }

    #[test]
    fn one_at_a_time_is_the_order_of_the_request() {
        let mut lanes = Lanes::new(1, [false, true, false, true].into_iter());
        for index in 0..4 {
            assert_eq!(lanes.next(), Some(index));
            assert_eq!(lanes.next(), None);
            lanes.has_run(index);
        }
        assert_eq!(lanes.next(), None);
    }
}
