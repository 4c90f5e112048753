//! The marker's name behind a bracket, however it is spelled.

use super::{
    escape::Unit,
    glyph::{self, Opener},
    lookalikes,
};

/// `external_tool_result` without what may stand between its words.
const NAME: &[u8] = b"externaltoolresult";

/// Follows the text unit by unit, and is in the middle of at most one marker: the one whose opening
/// bracket came last. That makes one pass enough.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marker(Option<Open>);

#[derive(Clone, Copy, Debug)]
struct Open {
    /// Of the first bracket, if several stand together.
    start: usize,
    /// Behind the last one.
    bracket_end: usize,
    /// All of them are brackets that stand round prose as well.
    prose: bool,
    /// Something that belongs to tags stands before the name or joins its words.
    joined: bool,
    spaced: bool,
    slash: bool,
    /// Letters of the name.
    seen: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Complete {
    pub(super) start: usize,
    pub(super) slash: bool,
}

impl Marker {
    pub(super) fn is_idle(&self) -> bool {
        self.0.is_none()
    }

    /// Says when a name is complete.
    pub(super) fn feed(&mut self, unit: Unit) -> Option<Complete> {
        if let Some(opener) = glyph::opener(unit.c) {
            let run = self.0.filter(|open| open.bracket_end == unit.start);
            self.0 = Some(Open {
                start: run.map_or(unit.start, |open| open.start),
                bracket_end: unit.end,
                prose: opener == Opener::Prose && run.is_none_or(|open| open.prose),
                joined: false,
                spaced: false,
                slash: false,
                seen: 0,
            });
            return None;
        }
        let open = self.0.as_mut()?;
        if lookalikes::letter(unit.c) == Some(NAME[open.seen]) {
            open.seen += 1;
        } else if !open.pass(unit.c) {
            self.0 = None;
        }
        let open = self.0.filter(|open| open.seen == NAME.len())?;
        self.0 = None;
        // `(external tool result)` is prose, `(external_tool_result)` and `(/external tool result)` are not.
        let is_prose = open.prose && open.spaced && !open.joined;
        (!is_prose).then_some(Complete { start: open.start, slash: open.slash })
    }
}

impl Open {
    /// Whether `c` may stand here without being a letter of the name.
    fn pass(&mut self, c: char) -> bool {
        if glyph::is_space(c) {
            self.spaced |= self.seen > 0;
        } else if glyph::is_separator(c) || (self.seen == 0 && (glyph::is_slash(c) || glyph::is_prefix(c))) {
            self.joined = true;
            self.slash |= self.seen == 0 && glyph::is_slash(c);
        } else {
            return glyph::is_attached(c);
        }
        true
    }
}
