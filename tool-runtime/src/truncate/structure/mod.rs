//! Cuts JSON so that it stays JSON: the largest values first, and every cut with a count of what is missing.
//!
//! The text goes by once, into a sketch of it that takes memory for the limit, not for the text; the sketch is then
//! brought down to the limit from the outside in: each list and object shares its room among what is inside, down
//! to one common length ([`node`]).

mod node;
mod reader;
mod share;
mod text;

use std::ops::ControlFlow;

use node::Node;
use reader::Reader;

use crate::{
    json::{Fault, Push},
    policy::Snap,
};

/// What is kept of a JSON document: enough for any cut to the limit it was made for.
#[derive(Clone, Debug)]
pub(crate) struct Sketch {
    root: Node,
}

/// The key in the outermost object, or in an object at the end of the outermost list.
const FLAG: &str = "_missing";

impl Sketch {
    /// Reads what is poured; `None` where that breaks off or is no JSON.
    pub(crate) fn of(limit: usize, pour: impl FnOnce(Push<'_>) -> Result<(), Fault>) -> Option<Self> {
        let mut reader = Reader::new(limit);
        let mut push =
            |piece: &str| if reader.read(piece) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        pour(&mut push).ok()?;
        Some(Self { root: reader.finish()? })
    }

    /// JSON of at most `limit` characters, which is not more than the sketch was made for.
    pub(crate) fn show(&self, limit: usize, snap: Snap) -> String {
        let mut root = self.root.clone();
        let mut text = String::new();
        if root.chars <= limit && root.is_whole() {
            root.write(&mut text, snap);
            return text;
        }
        let flag = root.flag(FLAG);
        let room = limit.saturating_sub(flag.as_ref().map_or(0, |flag| flag.longest(root.values)));
        root.shrink(room);
        if root.is_gone() {
            return nothing(limit).to_owned();
        }
        root.write(&mut text, snap);
        if let Some(flag) = flag {
            let missing = root.values - root.whole_values();
            if missing > 0 {
                flag.insert(&mut text, missing);
            }
        }
        text
    }
}

/// The JSON that says the least; there is none without characters.
fn nothing(limit: usize) -> &'static str {
    match limit {
        0 => "",
        1 => "0",
        2 | 3 => "\"\"",
        _ => "null",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;
