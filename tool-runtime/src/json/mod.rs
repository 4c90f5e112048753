//! Writes any value as compact JSON, piece by piece: depth and non-finite numbers watched, strings edited on the way.

mod dismantle;
mod names;
mod nest;
mod raw;
mod sink;
mod state;
mod text;
mod watch;

use std::{borrow::Cow, ops::ControlFlow};

use serde::Serialize;

pub(crate) use dismantle::{dismantle, is_deep, is_too_deep};
pub(crate) use raw::{is_json, is_sequence, rewrite};
use sink::Sink;
use state::State;
pub(crate) use text::text;

/// Deepest nesting that is written; DESIGN section 3.
pub(crate) const MAX_DEPTH: usize = 512;

/// Which string is offered for editing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A key of an object; `true` for the outermost object.
    Key {
        top: bool,
    },
    Value,
}

pub(crate) type Push<'a> = &'a mut dyn FnMut(&str) -> ControlFlow<()>;
pub(crate) type Edit<'a> = &'a mut dyn for<'s> FnMut(Role, &'s str) -> Cow<'s, str>;

/// One walk over a value.
pub(crate) struct Walk<'a> {
    /// Takes the text, piece by piece, and may stop the walk.
    pub(crate) push: Push<'a>,
    /// Sees each string and key before it is escaped.
    pub(crate) edit: Option<Edit<'a>>,
    /// How many numbers were NaN or infinite; each was written as `null`.
    pub(crate) non_finite: usize,
}

/// Why a walk ended early.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// `push` said so.
    Stopped,
    /// The value's own `Serialize` failed with this message.
    Failed(String),
}

type Write<'w> = &'w mut dyn FnMut(&mut Sink<'_>, &State<'_>) -> Result<(), serde_json::Error>;

/// Writes `value` as `serde_json::to_string` would, strings and keys as `edit` gives them back.
///
/// Depth is counted wherever a `Serialize` calls the next one, newtypes and `Some` included: what has to be
/// bounded is the stack, not only the brackets.
pub(crate) fn write<T: Serialize + ?Sized>(value: &T, walk: &mut Walk<'_>) -> Result<(), Fault> {
    written(walk, &mut |sink, state| watch::write(value, sink, state))
}

/// What is the same for every type: once for all of them.
fn written(walk: &mut Walk<'_>, write: Write<'_>) -> Result<(), Fault> {
    let state = State::new(walk.edit.as_mut().map(|edit| &mut **edit as Edit<'_>));
    let mut sink = Sink::new(walk.push);
    let written = write(&mut sink, &state);
    let flushed = sink.flush_text();
    walk.non_finite += state.non_finite();
    // A `Serialize` may swallow our error and carry on, so what was noted counts, not what came back.
    if let Some(fault) = state.take_fault() {
        return Err(fault);
    }
    if flushed.is_break() {
        return Err(Fault::Stopped);
    }
    if let Some(error) = state.take_error() {
        return Err(Fault::Failed(error));
    }
    written.map_err(|error| Fault::Failed(error.to_string()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;
