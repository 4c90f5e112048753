//! The marker's name behind a bracket, however it is spelled.

use super::{
    escape::Unit,
    glyph::{self, Opener},
    lookalikes,
};

/// `external_tool_result` without what may stand between its words.
pub(super) const NAME: &[u8] = b"externaltoolresult";

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
    /// `Prose` if all of them are.
    opener: Opener,
    gap: Gap,
    slash: bool,
    /// Letters of the name.
    seen: usize,
}

/// What stands before the name and between its words, the most telling of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    Nothing,
    Space,
    /// Something that belongs to tags and identifiers.
    Sign,
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
                opener: if run.is_some_and(|open| open.opener == Opener::Tag) { Opener::Tag } else { opener },
                gap: Gap::Nothing,
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
        let is_prose = open.opener == Opener::Prose && open.gap == Gap::Space;
        (!is_prose).then_some(Complete { start: open.start, slash: open.slash })
    }
}

/// Whether `c` may stand between letters of the name.
pub(super) fn may_interrupt(c: char) -> bool {
    glyph::is_space(c) || glyph::is_separator(c) || glyph::is_attached(c)
}

impl Open {
    /// Whether `c` may stand here without being a letter of the name.
    fn pass(&mut self, c: char) -> bool {
        if glyph::is_space(c) {
            // Before the name, space says nothing about its spelling.
            self.gap = self.gap.max(if self.seen > 0 { Gap::Space } else { Gap::Nothing });
        } else if glyph::is_separator(c) || (self.seen == 0 && (glyph::is_slash(c) || glyph::is_prefix(c))) {
            self.gap = Gap::Sign;
            self.slash |= self.seen == 0 && glyph::is_slash(c);
        } else {
            return glyph::is_attached(c);
        }
        true
    }
}
