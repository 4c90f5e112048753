//! Finds the places that need a closer look, as fast as memory allows.
//!
//! A marker has an `x` in it, spelled in some way, so it is enough to look where one stands: at `x` and
//! its lookalikes, at escapes that decode to one, at characters that are removed (one may stand inside an
//! escape). Chat-template tokens are found by their bracket.

use super::{
    bytes::{self, Part},
    chars::Chars,
    escape,
    filter::{Filter, Piece},
    glyph, invisible, lookalikes, name,
    steps::tick,
    token,
};

/// Bytes that are scanned by one searcher before the next one, so that they are still in the cache.
const WINDOW: usize = 16 * 1024;

pub(super) struct Scout<'t> {
    text: &'t str,
    window: usize,
    /// What each searcher knows of the text ahead.
    seen: [Seen; 4],
}

#[derive(Clone, Copy)]
enum Seen {
    /// Something that needs a look.
    Found(usize),
    /// Nothing before this.
    Nothing(usize),
}

impl<'t> Scout<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, window: 0, seen: [Seen::Nothing(0); 4] }
    }

    /// The first place from `settled` on, where `filter` is the filter's state, that needs a look.
    pub(super) fn next(&mut self, settled: usize, filter: Filter) -> Option<usize> {
        let probe = Probe { text: self.text, bytes: self.text.as_bytes(), settled, filter };
        let mut from = settled;
        while from < self.text.len() {
            if self.window <= from {
                self.window = (from + WINDOW).min(self.text.len());
                while !self.text.is_char_boundary(self.window) {
                    self.window += 1;
                }
            }
            // The first searcher sets the others their end: what is removed may be long, and none of them
            // is to read through it again and again.
            let searchers = [Probe::beyond_ascii, Probe::letter, Probe::bracket, Probe::backslash];
            let mut until = self.window;
            for (seen, search) in self.seen.iter_mut().zip(searchers) {
                *seen = match *seen {
                    Seen::Nothing(place) if place < until => search(&probe, from.max(place), until),
                    Seen::Found(place) if place < from => search(&probe, from, until),
                    known => known,
                };
                if let Seen::Found(place) = *seen {
                    until = until.min(place);
                }
            }
            if until < self.window {
                return Some(until);
            }
            from = self.window;
        }
        None
    }
}

/// Where to begin a look at `anchor`, so that every marker that goes over `anchor` begins behind it: a
/// character that is part of no marker and no escape, or the end of what is settled. `None` where no
/// marker can have begun before `anchor`, nor begins with it.
pub(super) fn restart(text: &str, settled: usize, anchor: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut begun = bytes::part(bytes[anchor]) == Part::Beginning;
    let mut at = anchor;
    // Letters and digits side by side, from `at` on.
    let mut word = 0;
    while at > settled {
        tick();
        match bytes::part(bytes[at - 1]) {
            Part::None => break,
            // Before its `x` a marker has one letter behind space: a namespace follows its bracket at once, and so do
            // the characters of an escape.
            Part::Space if word >= 2 => break,
            Part::Word => word += 1,
            part => {
                begun |= part == Part::Beginning;
                word = 0;
            }
        }
        at -= 1;
    }
    begun.then_some(at)
}

/// A text of which everything behind `settled` has stayed as it is so far.
struct Probe<'t> {
    text: &'t str,
    bytes: &'t [u8],
    settled: usize,
    filter: Filter,
}

impl<'t> Probe<'t> {
    /// What stays from `at` on.
    fn chars(&self, at: usize) -> Chars<'t> {
        Chars { text: self.text, at, filter: self.filter.over(&self.text[self.settled..at]) }
    }

    /// Control characters, and what is beyond ASCII.
    fn beyond_ascii(&self, from: usize, until: usize) -> Seen {
        let mut at = from;
        while at < until {
            if !bytes::is_hot(self.bytes[at]) {
                match bytes::next_hot(self.bytes, at, until) {
                    Some(hot) => at = hot,
                    None => break,
                }
            }
            tick();
            at += match bytes::quiet_length(&self.bytes[at..]) {
                0 => match self.text[at..].chars().next() {
                    Some(c) if !self.needs_look(at, c) => c.len_utf8(),
                    _ => return Seen::Found(at),
                },
                length => length,
            };
        }
        Seen::Nothing(at.max(until))
    }

    fn needs_look(&self, at: usize, c: char) -> bool {
        if c < '\u{a0}' {
            return true;
        }
        if token::is_angle(c) {
            return token::begins(c, self.behind(at, c));
        }
        if matches!(glyph::narrow(c), '&' | '%' | '\\' | '=') {
            return self.escape(at).0;
        }
        if invisible::is_hidden(c) {
            let mut chars = self.chars(at);
            return !matches!(chars.filter.step(&self.text[at..]), (Piece::Keep(_), _));
        }
        lookalikes::letter(c) == Some(b'x') && name_goes_on(self.behind(at, c))
    }

    /// `x` itself, and percent escapes.
    fn letter(&self, from: usize, until: usize) -> Seen {
        let found = |at: &usize| {
            tick();
            match self.bytes[*at] {
                b'%' => bytes::may_matter(&self.bytes[*at..]) && self.escape(*at).0,
                _ => self.could_be_inside(*at) && name_goes_on(self.chars(at + 1)),
            }
        };
        let places = memchr::memchr3_iter(b'x', b'X', b'%', &self.bytes[from..until]).map(|at| from + at);
        Seen::first(places, found, until)
    }

    /// Whether the bytes round the `x` at `at` allow it to be the name's.
    fn could_be_inside(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).map(|before| self.bytes[before]) else { return false };
        let Some(behind) = self.bytes.get(at + 1) else { return false };
        let passes = |byte: u8| byte <= b' ' || byte >= 0x7f || b"_-+\\./:|=".contains(&byte);
        (passes(before) || before.is_ascii_hexdigit() || matches!(before, b';' | b'}'))
            && (passes(*behind) || matches!(behind, b't' | b'T' | b'7' | b'&' | b'%'))
    }

    /// Chat-template tokens, and entities.
    fn bracket(&self, from: usize, until: usize) -> Seen {
        let found = |at: &usize| {
            tick();
            bytes::may_matter(&self.bytes[*at..])
                && match self.bytes[*at] {
                    b'&' => self.escape(*at).0,
                    bracket => token::begins(char::from(bracket), self.chars(at + 1)),
                }
        };
        let places = memchr::memchr3_iter(b'<', b'[', b'&', &self.bytes[from..until]).map(|at| from + at);
        Seen::first(places, found, until)
    }

    /// Backslash escapes and those of quoted-printable text. A run of backslashes is one escape, and may end behind
    /// `until`.
    fn backslash(&self, from: usize, until: usize) -> Seen {
        let mut at = from;
        while let Some(place) = self.bytes.get(at..until).and_then(|bytes| memchr::memchr2(b'\\', b'=', bytes)) {
            at += place;
            // Text of another script is one escape after the other.
            while let Some(b'\\' | b'=') = self.bytes[..until].get(at) {
                tick();
                at = match bytes::quiet_escape(&self.bytes[at..]) {
                    0 => match self.escape(at) {
                        (true, _) => return Seen::Found(at),
                        (false, end) => end,
                    },
                    length => at + length,
                };
            }
        }
        Seen::Nothing(at.max(until))
    }

    /// Whether the escape at `at` is an `x` in the middle of the name, and where it ends.
    fn escape(&self, at: usize) -> (bool, usize) {
        let mut chars = self.chars(at);
        let Some(unit) = escape::unit(&mut chars) else { return (false, self.text.len()) };
        let is_letter = !unit.literal && lookalikes::letter(unit.c) == Some(b'x');
        (is_letter && name_goes_on(chars), unit.end)
    }

    fn behind(&self, at: usize, c: char) -> Chars<'t> {
        self.chars(at + c.len_utf8())
    }
}

/// Whether the rest of the name stands behind its `x`.
fn name_goes_on(mut chars: Chars<'_>) -> bool {
    let mut seen = 2;
    while seen < name::NAME.len() {
        tick();
        let Some(unit) = escape::unit(&mut chars) else { return false };
        match name::letters(unit.c, seen) {
            0 if !name::may_interrupt(unit.c) => return false,
            letters => seen += letters,
        }
    }
    true
}

impl Seen {
    fn first(mut places: impl Iterator<Item = usize>, found: impl FnMut(&usize) -> bool, until: usize) -> Self {
        places.find(found).map_or(Self::Nothing(until), Self::Found)
    }
}
