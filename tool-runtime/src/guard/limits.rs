//! From which round on something is done about a loop.

use std::borrow::Cow;

use crate::spec::Hints;

/// Counts of equal calls with equal results, for one kind of tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) note: u32,
    pub(crate) block: u32,
    pub(crate) halt: u32,
}

impl Limits {
    const NEVER: Self = Self { note: u32::MAX, block: u32::MAX, halt: u32::MAX };

    /// A cycle is as suspicious as the most suspicious of its calls.
    pub(crate) fn strictest(self, other: Self) -> Self {
        Self { note: self.note.min(other.note), block: self.block.min(other.block), halt: self.halt.min(other.halt) }
    }

    fn is_in_order(self) -> bool {
        2 <= self.note && self.note <= self.block && self.block <= self.halt
    }
}

/// How a session deals with a model that makes the same call over and over and gets the same result.
///
/// What counts is the call's tool, its arguments (the order of keys aside, and `1` is `1.0`) **and** its result: a
/// poll whose result changes is no loop. Beside one call repeated, two or three calls in turn are seen; their rounds
/// count. The n-th equal call brings a notice, a later one is not run, and in the end no call is, until
/// [`Session::reset`](crate::Session::reset). Of the calls that would not be run every second one is, to see whether
/// its result has changed.
///
/// ```
/// use tool_runtime::{LoopGuard, Registry};
///
/// # fn main() -> Result<(), tool_runtime::BuildError> {
/// let guard = LoopGuard::new().others(2, 4, 6).ignore(["request_id"]);
/// let session = Registry::builder().loop_guard(guard).build()?.session();
/// assert!(!session.halted());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct LoopGuard {
    on: bool,
    read_only: Limits,
    others: Limits,
    ignored: Vec<Cow<'static, str>>,
}

impl Default for LoopGuard {
    fn default() -> Self {
        Self::new()
    }
}

impl LoopGuard {
    /// The defaults: 5, 8 and 12 calls of tools that are `read_only` or `idempotent`, 3, 5 and 7 of others.
    pub fn new() -> Self {
        Self {
            on: true,
            read_only: Limits { note: 5, block: 8, halt: 12 },
            others: Limits { note: 3, block: 5, halt: 7 },
            ignored: Vec::new(),
        }
    }

    /// No guard.
    pub fn off() -> Self {
        Self { on: false, ..Self::new() }
    }

    /// For tools that are `read_only` or `idempotent`: which equal call brings a notice, is not run, halts the
    /// session. Each at least the one before, `note` at least 2; `u32::MAX` is never.
    pub fn read_only(self, note: u32, block: u32, halt: u32) -> Self {
        Self { read_only: Limits { note, block, halt }, ..self }
    }

    /// The same for all other tools.
    pub fn others(self, note: u32, block: u32, halt: u32) -> Self {
        Self { others: Limits { note, block, halt }, ..self }
    }

    /// Arguments that no tool's calls are compared by, such as a request id. For one tool:
    /// [`ToolSpec::loop_key`](crate::ToolSpec::loop_key).
    pub fn ignore<N: Into<Cow<'static, str>>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.ignored.extend(names.into_iter().map(Into::into));
        self
    }

    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    pub(crate) fn is_in_order(&self) -> bool {
        self.read_only.is_in_order() && self.others.is_in_order()
    }

    pub(crate) fn ignored(&self) -> &[Cow<'static, str>] {
        &self.ignored
    }

    pub(crate) fn limits(&self, hints: Hints) -> Limits {
        match hints {
            _ if !self.on => Limits::NEVER,
            Hints { read_only: Some(true), .. } | Hints { idempotent: Some(true), .. } => self.read_only,
            _ => self.others,
        }
    }
}
