//! Which characters stay, one after the other.

use super::{ansi, invisible, steps::tick};

/// Knows the last two characters that stayed, which is all that any rule looks back at. Rules that look
/// forward look at the very next character only, and only keep what they stand before when that one stays
/// too: filtering a second time decides the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filter {
    pub(super) before: char,
    pub(super) last: char,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Stays as it stands.
    Keep(char),
    /// Becomes `\n`.
    LineEnd,
    /// The `\r` of `\r\n`: gone, but nothing is lost.
    Skip,
    /// Is removed.
    Drop,
}

impl Default for Filter {
    fn default() -> Self {
        Self { before: '\n', last: '\n' }
    }
}

impl Filter {
    /// The state after more text that stayed as it is.
    pub(super) fn over(self, kept: &str) -> Self {
        let mut tail = kept.chars().rev();
        match (tail.next(), tail.next()) {
            (Some(last), Some(before)) => Self { before, last },
            (Some(last), None) => Self { before: self.last, last },
            _ => self,
        }
    }

    /// What becomes of the beginning of `rest`, which is not empty, and how many bytes that is.
    pub(super) fn step(&mut self, rest: &str) -> (Piece, usize) {
        tick();
        let Some(c) = rest.chars().next() else { return (Piece::Skip, 0) };
        let (piece, len) = match c {
            ' '..='~' | '\n' | '\t' => (Piece::Keep(c), 1),
            '\r' if rest.as_bytes().get(1) == Some(&b'\n') => return (Piece::Skip, 1),
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => (Piece::LineEnd, c.len_utf8()),
            '\0'..'\u{a0}' => return (Piece::Drop, ansi::length(rest).max(c.len_utf8())),
            _ => match invisible::kept(*self, rest, c) {
                0 => return (Piece::Drop, c.len_utf8()),
                len => (Piece::Keep(c), len),
            },
        };
        *self = Self { before: self.last, last: if piece == Piece::LineEnd { '\n' } else { c } };
        (piece, len)
    }
}
