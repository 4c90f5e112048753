//! The characters that stay, one after the other.

use super::{
    filter::{Filter, Piece},
    glyph::narrow,
    invisible,
};

/// A place in the text that is cheap to copy, to look ahead from.
#[derive(Clone, Copy)]
pub(super) struct Chars<'t> {
    pub(super) text: &'t str,
    /// Behind the last character returned.
    pub(super) at: usize,
    pub(super) filter: Filter,
}

impl Chars<'_> {
    /// The next character and where it starts.
    pub(super) fn next(&mut self) -> Option<(char, usize)> {
        while self.at < self.text.len() {
            let start = self.at;
            let (piece, len) = self.filter.step(&self.text[start..]);
            self.at += len;
            match piece {
                Piece::Keep(c) => return Some((c, start)),
                Piece::LineEnd => return Some(('\n', start)),
                Piece::Skip | Piece::Drop => {}
            }
        }
        None
    }

    /// The next character that shows, as ASCII where it is the full-width form of one.
    pub(super) fn visible(&mut self) -> Option<char> {
        loop {
            let (c, _) = self.next()?;
            if !invisible::is_hidden(c) {
                return Some(narrow(c));
            }
        }
    }

    /// Goes past the next visible character if `wanted` says so.
    pub(super) fn take<T>(&mut self, wanted: impl FnOnce(char) -> Option<T>) -> Option<T> {
        let mut ahead = *self;
        let taken = ahead.visible().and_then(wanted)?;
        *self = ahead;
        Some(taken)
    }

    pub(super) fn take_char(&mut self, wanted: char) -> Option<char> {
        self.take(|c| (c == wanted).then_some(c))
    }

    pub(super) fn take_digit(&mut self, radix: u32) -> Option<u32> {
        self.take(|c| c.to_digit(radix))
    }
}
