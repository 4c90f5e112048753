//! The strings of a sketch.

use std::{borrow::Cow, fmt::Write};

use crate::{
    cut::{self, snap},
    policy::Snap,
};

/// A string, or both ends of it.
#[derive(Clone, Debug)]
pub(super) struct Text {
    /// How it begins.
    head: String,
    /// How it ends; may overlap `head`, and is nothing where `head` is all of it.
    tail: String,
    head_chars: usize,
    /// Characters of the whole string.
    chars: usize,
    /// Characters of the whole string as JSON, with its quotes.
    pub(super) json_chars: usize,
    /// The most that is shown, as JSON.
    room: usize,
}

/// The shortest sign that something is missing: this, in quotes.
pub(super) const ELLIPSIS: char = '…';

/// Below this many characters a string shows no end.
const WORTH_AN_END: usize = 16;

impl Text {
    pub(super) fn new() -> Self {
        Self { head: String::new(), tail: String::new(), head_chars: 0, chars: 0, json_chars: 2, room: usize::MAX }
    }

    /// Adds characters that take `json_chars` as JSON; of more than `keep` characters the middle is let go.
    pub(super) fn push(&mut self, piece: &str, json_chars: usize, keep: usize) {
        let chars = cut::count(piece);
        let room = keep.saturating_sub(self.head_chars);
        self.chars += chars;
        self.json_chars += json_chars;
        if chars <= room && self.tail.is_empty() {
            self.head.push_str(piece);
            self.head_chars += chars;
            return;
        }
        let (head, rest) = if self.tail.is_empty() { piece.split_at(cut::offset(piece, room)) } else { ("", piece) };
        self.head.push_str(head);
        self.head_chars += chars.min(room);
        let bytes = keep.saturating_mul(4);
        self.tail.push_str(last_bytes(rest, bytes));
        if self.tail.len() > bytes.saturating_mul(2) {
            let stay = last_bytes(&self.tail, bytes).len();
            self.tail.drain(..self.tail.len() - stay);
        }
    }

    pub(super) fn is_whole(&self) -> bool {
        self.head_chars == self.chars && self.json_chars <= self.room
    }

    /// The string, if all of it is there.
    pub(super) fn into_whole(self) -> Option<String> {
        (self.head_chars == self.chars).then_some(self.head)
    }

    /// Bytes in memory.
    pub(super) fn held(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    /// Shows at most `room` characters from now on, 3 or more, and lets go of what that can't show.
    pub(super) fn shrink(&mut self, room: usize) {
        self.room = self.room.min(room);
        if self.head_chars.max(self.tail.len()) > room {
            self.tail = last_chars(&self.known_end(room), room).to_owned();
            self.head.truncate(cut::offset(&self.head, room));
            self.head_chars = self.head_chars.min(room);
        }
    }

    /// What is known of the last `chars` characters, or more.
    fn known_end(&self, chars: usize) -> Cow<'_, str> {
        let tail_chars = cut::count(&self.tail);
        // The end may reach back into what is kept as the beginning, unless something between them is gone.
        if tail_chars >= chars || self.head_chars + tail_chars != self.chars {
            Cow::Borrowed(&self.tail)
        } else if tail_chars == 0 {
            Cow::Borrowed(&self.head)
        } else {
            Cow::Owned([self.head.as_str(), &self.tail].concat())
        }
    }

    pub(super) fn write(&self, out: &mut String, snap: Snap) {
        out.push('"');
        if self.is_whole() {
            escape_into(out, &self.head);
        } else {
            self.write_ends(out, snap);
        }
        out.push('"');
    }

    fn write_ends(&self, out: &mut String, snap: Snap) {
        // It never shows all that a string has, which may take more than it had.
        let room = self.room.min(self.json_chars - 1).saturating_sub(2);
        let marker = "…  chars more …".chars().count() + digits(self.chars);
        let (head, tail) = match room.checked_sub(marker) {
            Some(both) if both >= WORTH_AN_END => (both / 2, both - both / 2),
            _ => (room.saturating_sub(1), 0),
        };
        let start = &self.head[..snap::start(&self.head, prefix(&self.head, head), snap)];
        escape_into(out, start);
        out.push(ELLIPSIS);
        if tail == 0 {
            return;
        }
        let known = self.known_end(self.room);
        let end = &known[snap::end(&known, suffix(&known, tail), snap)..];
        let missing = self.chars - cut::count(start) - cut::count(end);
        // Writing to a `String` can't fail, here and below.
        let _ = write!(out, " {missing} chars more {ELLIPSIS}");
        escape_into(out, end);
    }
}

fn last_bytes(text: &str, bytes: usize) -> &str {
    &text[cut::boundary(text, text.len().saturating_sub(bytes))..]
}

fn last_chars(text: &str, chars: usize) -> &str {
    let Some(before) = chars.checked_sub(1) else { return "" };
    text.char_indices().nth_back(before).map_or(text, |(at, _)| &text[at..])
}

/// How many bytes of the beginning fit into `room` characters of JSON.
fn prefix(text: &str, room: usize) -> usize {
    let mut taken = 0;
    let beyond = text.char_indices().find(|&(_, c)| {
        taken += escaped_chars(c);
        taken > room
    });
    beyond.map_or(text.len(), |(at, _)| at)
}

/// Where the longest end begins that fits into `room` characters of JSON.
fn suffix(text: &str, room: usize) -> usize {
    let mut taken = 0;
    let beyond = text.char_indices().rev().find(|&(_, c)| {
        taken += escaped_chars(c);
        taken > room
    });
    beyond.map_or(0, |(at, c)| at + c.len_utf8())
}

pub(super) fn digits(number: usize) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// Characters of `c` inside a JSON string.
pub(super) fn escaped_chars(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => 1,
    }
}

/// Characters of `text` as a JSON string, with its quotes.
pub(super) fn quoted_chars(text: &str) -> usize {
    2 + text.chars().map(escaped_chars).sum::<usize>()
}

pub(super) fn escape_into(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
}
