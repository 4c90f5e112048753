//! Writes any value as compact JSON, piece by piece: depth and non-finite numbers watched, strings edited on the way.

use std::{borrow::Cow, ops::ControlFlow};

use serde::Serialize;

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

pub(crate) fn write<T: Serialize + ?Sized>(value: &T, walk: &mut Walk<'_>) -> Result<(), Fault> {
    let text = serde_json::to_string(value).map_err(|error| Fault::Failed(error.to_string()))?;
    match (walk.push)(&text) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Fault::Stopped),
    }
}
