//! Tells whether a model runs in circles: pure counting over what was called and what came of it.

mod digest;
mod key;
mod limits;
mod notice;

use std::fmt;

pub(crate) use self::limits::Limits;
pub use self::limits::LoopGuard;
pub(crate) use self::{
    digest::Digest,
    key::CallKey,
    notice::{Note, Refusal},
};

/// The longest cycle that is looked for, in calls.
const LONGEST: usize = 3;

/// What a session would do with a call ([`Session::check_loop`](crate::Session::check_loop)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LoopVerdict {
    /// It runs.
    Pass,
    /// It runs. Should its result be the same as before, the model is told so.
    Note,
    /// It would be refused, but runs to see whether its result has changed: every second such call does.
    Probe,
    /// It is not run.
    Block,
    /// It is not run, and neither is any other until [`Session::reset`](crate::Session::reset).
    Halt,
}

impl LoopVerdict {
    /// Whether the tool would run.
    #[must_use]
    pub fn runs(self) -> bool {
        self < Self::Block
    }
}

/// One call with its result, as hashes.
#[derive(Clone, Copy, Debug)]
struct Step {
    call: u64,
    /// `None`: not known yet, and may be anything.
    result: Option<u64>,
    limits: Limits,
}

impl Step {
    fn may_equal(&self, other: &Self) -> bool {
        self.call == other.call && (self.result.is_none() || other.result.is_none() || self.result == other.result)
    }

    fn surely_equals(&self, other: &Self) -> bool {
        self.call == other.call && self.result.is_some() && self.result == other.result
    }
}

/// The last calls of one conversation, as far as it takes to see a streak or a cycle of two or three go on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guard {
    /// Newest first.
    recent: [Option<Step>; LONGEST],
    /// For each period less one: how many steps in a row equal the step one period before.
    repeats: [u32; LONGEST],
    halted: bool,
}

/// Calls that repeat each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// 1: one call again and again. 2 or 3: as many different calls in turn.
    pub(crate) period: u32,
    /// Calls so far.
    pub(crate) length: u32,
}

impl Run {
    pub(crate) fn rounds(self) -> u32 {
        self.length / self.period
    }

    fn has_reached(self, rounds: u32) -> bool {
        self.length >= rounds.saturating_mul(self.period)
    }

    fn verdict(self, limits: Limits) -> LoopVerdict {
        if self.has_reached(limits.halt) {
            LoopVerdict::Halt
        } else if self.has_reached(limits.block) {
            let refusable = self.length - limits.block.saturating_mul(self.period);
            if refusable % 2 == 0 { LoopVerdict::Block } else { LoopVerdict::Probe }
        } else if self.length == limits.note.saturating_mul(self.period) {
            LoopVerdict::Note
        } else {
            LoopVerdict::Pass
        }
    }
}

impl Guard {
    pub(crate) fn is_halted(&self) -> bool {
        self.halted
    }

    /// What would become of the call; changes nothing.
    pub(crate) fn ask(&self, key: CallKey) -> LoopVerdict {
        if self.halted {
            LoopVerdict::Halt
        } else {
            self.foresee(key).map_or(LoopVerdict::Pass, |(verdict, ..)| verdict)
        }
    }

    /// Counts a call that is about to run, or says why it is not run. A refused call counts like one that ran and
    /// changed nothing.
    pub(crate) fn admit(&mut self, key: CallKey) -> Result<LoopVerdict, Refusal> {
        if self.halted {
            return Err(Refusal::Halted);
        }
        let Some((verdict, run, result)) = self.foresee(key) else { return Ok(LoopVerdict::Pass) };
        if verdict.runs() {
            return Ok(verdict);
        }
        self.push(Step { call: key.call, result, limits: key.limits });
        if verdict == LoopVerdict::Halt {
            self.halted = true;
            return Err(Refusal::Halts(run));
        }
        Err(Refusal::Blocked(run))
    }

    /// Takes note of what a call came to. `admitted` is what [`admit`](Self::admit) said of it.
    pub(crate) fn record(&mut self, key: CallKey, result: u64, admitted: LoopVerdict) -> Option<Note> {
        self.push(Step { call: key.call, result: Some(result), limits: key.limits });
        let runs = || (1..=LONGEST).filter_map(|period| self.run(period));
        let noted = runs().find(|(run, limits)| run.length == limits.note.saturating_mul(run.period));
        let probed = || runs().find(|(run, limits)| run.has_reached(limits.block));
        match noted {
            Some((run, _)) => Some(Note::Repeats(run)),
            None if admitted == LoopVerdict::Probe => probed().map(|(run, _)| Note::Unchanged(run)),
            None => None,
        }
    }

    /// For calls of one turn that run at the same time: takes the call as made, with a result that may turn out to
    /// be any. What is foreseen after that is the worst case.
    pub(crate) fn assume(&mut self, key: CallKey) {
        self.push(Step { call: key.call, result: None, limits: key.limits });
    }

    fn push(&mut self, step: Step) {
        for (repeats, earlier) in self.repeats.iter_mut().zip(&self.recent) {
            let again = earlier.as_ref().is_some_and(|earlier| earlier.may_equal(&step));
            *repeats = if again { repeats.saturating_add(1) } else { 0 };
        }
        self.recent.rotate_right(1);
        self.recent[0] = Some(step);
    }

    /// The run of this period that the last step is part of.
    fn run(&self, period: usize) -> Option<(Run, Limits)> {
        let repeats = self.repeats[period - 1];
        if repeats == 0 || !self.is_cycle(period) {
            return None;
        }
        let limits = self.recent[..period].iter().flatten().map(|step| step.limits).reduce(Limits::strictest)?;
        Some((run_of(period, repeats), limits))
    }

    /// The worst that would come of the call, should its result be the same as before; with that result.
    fn foresee(&self, key: CallKey) -> Option<(LoopVerdict, Run, Option<u64>)> {
        let each = (1..=LONGEST).filter_map(|period| {
            let same = self.recent[period - 1].filter(|step| step.call == key.call)?;
            if !self.is_cycle(period) {
                return None;
            }
            let others = self.recent[..period - 1].iter().flatten().map(|step| step.limits);
            let run = run_of(period, self.repeats[period - 1].saturating_add(1));
            Some((run.verdict(others.fold(key.limits, Limits::strictest)), run, same.result))
        });
        // The shortest period, where two are equally bad.
        each.reduce(|worst, next| if next.0 > worst.0 { next } else { worst })
    }

    /// Whether the last steps differ, as those of a cycle do; one call repeated is a streak and nothing longer.
    fn is_cycle(&self, period: usize) -> bool {
        period == 1
            || !self.recent[..period].windows(2).all(|pair| match pair {
                [Some(newer), Some(older)] => newer.surely_equals(older),
                _ => false,
            })
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a period is at most 3")]
fn run_of(period: usize, repeats: u32) -> Run {
    let period = period as u32;
    Run { period, length: repeats.saturating_add(period) }
}

impl fmt::Display for LoopVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pass => "pass",
            Self::Note => "note",
            Self::Probe => "probe",
            Self::Block => "block",
            Self::Halt => "halt",
        })
    }
}

#[cfg(test)]
mod tests;
