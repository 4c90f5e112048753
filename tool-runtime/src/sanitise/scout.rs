//! Finds the places that need a closer look, as fast as memory allows.
//!
//! A marker has an `x` in it, spelled in some way, so it is enough to look where one stands: at `x` and
//! its lookalikes, at escapes that decode to one, at characters that are removed (one may stand inside an
//! escape). Chat-template tokens are found by their bracket.

use super::{
    escape::{self, Chars},
    filter::{Filter, Piece},
    glyph, invisible, lookalikes,
    steps::tick,
    token,
};

/// Bytes that are scanned by one searcher before the next one, so that they are still in the cache.
const WINDOW: usize = 16 * 1024;

pub(super) struct Scout<'t> {
    text: &'t str,
    window: usize,
    /// The next place that each searcher knows of in this window, or how far it has searched.
    next: [Option<usize>; 4],
}

impl<'t> Scout<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, window: 0, next: [None; 4] }
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
                self.next = [None; 4];
            }
            // The first searcher sets the others their end: what is removed may be long, and none of them
            // is to read through it again and again.
            let searchers = [Probe::beyond_ascii, Probe::letter, Probe::bracket, Probe::backslash];
            let mut nearest = self.window;
            for (next, search) in self.next.iter_mut().zip(searchers) {
                let known = next.filter(|next| *next >= from);
                let place = known.unwrap_or_else(|| search(&probe, from, nearest).unwrap_or(nearest));
                *next = Some(place);
                nearest = nearest.min(place);
            }
            if nearest < self.window {
                return Some(nearest);
            }
            from = self.window;
        }
        None
    }
}

/// Where to begin a look at `anchor`, so that every marker that goes over `anchor` begins behind it: a
/// character that is part of no marker and no escape, or the end of what is settled.
pub(super) fn restart(text: &str, settled: usize, anchor: usize) -> usize {
    let outside = |byte: &u8| {
        tick();
        matches!(byte, b'"' | b'\'' | b',' | b'>' | b')' | b']' | b'=' | b'*' | b'^' | b'`' | b'~' | b'.' | b'$' | b'@')
    };
    let back = text.as_bytes()[settled..anchor].iter().rev().position(|byte| outside(byte));
    back.map_or(settled, |back| anchor - back)
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
    fn beyond_ascii(&self, from: usize, until: usize) -> Option<usize> {
        let mut at = from;
        while at < until {
            if !is_hot(self.bytes[at]) {
                at = next_hot(self.bytes, at, until)?;
            }
            tick();
            let plain = plain_length(&self.bytes[at..]);
            if plain > 0 {
                at += plain;
                continue;
            }
            let c = self.text[at..].chars().next()?;
            if self.needs_look(at, c) {
                return Some(at);
            }
            at += c.len_utf8();
        }
        None
    }

    fn needs_look(&self, at: usize, c: char) -> bool {
        if c < '\u{a0}' {
            return true;
        }
        match glyph::narrow(c) {
            '<' => return token::begins('<', self.behind(at, c)),
            '&' | '%' | '\\' => return self.escape(at).0,
            _ => {}
        }
        if invisible::is_hidden(c) {
            let mut chars = self.chars(at);
            return !matches!(chars.filter.step(&self.text[at..]), (Piece::Keep(_), _));
        }
        lookalikes::letter(c) == Some(b'x') && name_goes_on(self.behind(at, c))
    }

    /// `x` itself, and percent escapes.
    fn letter(&self, from: usize, until: usize) -> Option<usize> {
        let found = |at: &usize| {
            tick();
            match self.bytes[*at] {
                b'%' => self.bytes.get(at + 1).is_some_and(|next| !next.is_ascii_whitespace()) && self.escape(*at).0,
                _ => self.could_be_inside(*at) && name_goes_on(self.chars(at + 1)),
            }
        };
        memchr::memchr3_iter(b'x', b'X', b'%', &self.bytes[from..until]).map(|at| from + at).find(found)
    }

    /// Whether the bytes round the `x` at `at` allow it to be the name's.
    fn could_be_inside(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).map(|before| self.bytes[before]) else { return false };
        let Some(behind) = self.bytes.get(at + 1) else { return false };
        let passes = |byte: u8| byte <= b' ' || byte >= 0x7f || matches!(byte, b'_' | b'-' | b'+' | b'\\');
        (passes(before) || before.is_ascii_hexdigit() || matches!(before, b';' | b'}'))
            && (passes(*behind) || matches!(behind, b't' | b'T' | b'7' | b'&' | b'%'))
    }

    /// Chat-template tokens, and entities.
    fn bracket(&self, from: usize, until: usize) -> Option<usize> {
        let found = |at: &usize| {
            tick();
            match self.bytes[*at] {
                b'&' => self.escape(*at).0,
                bracket => token::begins(char::from(bracket), self.chars(at + 1)),
            }
        };
        memchr::memchr3_iter(b'<', b'[', b'&', &self.bytes[from..until]).map(|at| from + at).find(found)
    }

    fn backslash(&self, from: usize, until: usize) -> Option<usize> {
        let mut from = from;
        while let Some(at) = memchr::memchr(b'\\', self.bytes.get(from..until)?) {
            tick();
            let at = from + at;
            from = match self.bytes.get(at + 1) {
                // The usual escapes of JSON.
                Some(b'"' | b'n' | b't' | b'r' | b'/') => at + 2,
                _ => match self.escape(at) {
                    (true, _) => return Some(at),
                    (false, end) => end,
                },
            };
        }
        None
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

/// Whether the name may go on like this behind its `x`; three letters are enough to know.
fn name_goes_on(mut chars: Chars<'_>) -> bool {
    let mut missing = b"ter".iter().peekable();
    while let Some(wanted) = missing.peek() {
        tick();
        let Some(unit) = escape::unit(&mut chars) else { return false };
        if lookalikes::letter(unit.c) == Some(**wanted) {
            missing.next();
        } else if !(glyph::is_space(unit.c) || glyph::is_separator(unit.c) || glyph::is_attached(unit.c)) {
            return false;
        }
    }
    true
}

/// Neither printable ASCII nor a tab or line feed.
fn is_hot(byte: u8) -> bool {
    (byte.wrapping_sub(b' ') > b'~' - b' ') & (byte != b'\n') & (byte != b'\t')
}

/// The first such byte, found in blocks that the compiler turns into vector instructions.
fn next_hot(bytes: &[u8], from: usize, until: usize) -> Option<usize> {
    const BLOCK: usize = 64;
    let mut at = from;
    for block in bytes[from..until].chunks(BLOCK) {
        if block.iter().fold(false, |any, byte| any | is_hot(*byte)) {
            return block.iter().position(|byte| is_hot(*byte)).map(|place| at + place);
        }
        at += block.len();
    }
    None
}

/// Length of the character that `bytes` begins with, if it is in a block of 64 in which nothing needs a
/// look; else 0.
fn plain_length(bytes: &[u8]) -> usize {
    let (block, len) = match bytes {
        [lead @ 0xc2..=0xdf, ..] => (usize::from(lead & 0x1f), 2),
        [lead @ 0xe0..=0xef, second, ..] => (usize::from(lead & 0x0f) << 6 | usize::from(second & 0x3f), 3),
        _ => return 0,
    };
    if BLOCKS[block / 64] >> (block % 64) & 1 == 0 { len } else { 0 }
}

/// A bit for each 64 characters of the Basic Multilingual Plane.
static BLOCKS: [u64; 16] = blocks();

const fn blocks() -> [u64; 16] {
    let mut blocks = [0; 16];
    // C1 controls and no-break space; full-width and small forms of escapes and brackets; `∖`, `⧵`.
    mark(&mut blocks, 0x80, 0xa0);
    mark(&mut blocks, 0xfe50, 0xfe6f);
    mark(&mut blocks, 0xff00, 0xff5f);
    mark(&mut blocks, 0x2216, 0x2216);
    mark(&mut blocks, 0x29f5, 0x29f5);
    let mut index = 0;
    while index < invisible::HIDDEN.len() {
        let (first, last) = invisible::HIDDEN[index];
        mark(&mut blocks, first, last);
        index += 1;
    }
    index = 0;
    while index < lookalikes::LOOKALIKES.len() {
        let (first, last, letter) = lookalikes::LOOKALIKES[index];
        if letter == b'x' {
            mark(&mut blocks, first, last);
        }
        index += 1;
    }
    // Enclosed letters.
    mark(&mut blocks, 0x249c, 0x24e9);
    blocks
}

const fn mark(blocks: &mut [u64; 16], first: u32, last: u32) {
    let mut block = first / 64;
    while block <= last / 64 && block < 1024 {
        blocks[block as usize / 64] |= 1 << (block % 64);
        block += 1;
    }
}
