//! Reads JSON piece by piece into a sketch.

use super::{
    node::{Bracket, Kind, Member, Nest, Node},
    share::Cost,
    text::{Text, escaped_chars},
};
use crate::{
    cut,
    json::{self, MAX_DEPTH},
};

/// Where the next byte belongs.
#[derive(Debug)]
enum Place {
    /// Between values.
    Between,
    /// In a number, `true`, `false` or `null`; what was read of it.
    Plain(String, usize),
    Text(Text),
    /// In a string, after a backslash; what was read of the escape.
    Escape(Text, String),
}

/// A list or an object that isn't closed yet.
#[derive(Debug)]
struct Open {
    nest: Nest,
    /// Characters and values so far.
    chars: usize,
    values: usize,
    /// The key whose value comes next; `None` where it is longer than what can be shown.
    key: Option<String>,
    key_chars: usize,
    awaits_key: bool,
    keeps: Keeps,
}

/// What is kept of what comes next in a list or an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keeps {
    Everything,
    /// No more than what is there; the rest is counted.
    NoMore,
    /// Nothing of it, not even what was there.
    Nothing,
}

#[derive(Debug)]
pub(super) struct Reader {
    limit: usize,
    place: Place,
    /// The first half of a surrogate pair.
    high: Option<u32>,
    open: Vec<Open>,
    root: Option<Node>,
    /// Memory that the sketch takes, and when that is too much.
    held: usize,
    most: usize,
}

impl Reader {
    pub(super) fn new(limit: usize) -> Self {
        let most = Self::most(limit);
        Self { limit, place: Place::Between, high: None, open: Vec::new(), root: None, held: 0, most }
    }

    fn most(limit: usize) -> usize {
        limit.saturating_mul(4).saturating_add(1_024)
    }

    /// Reads on; `false` where the document is too deep.
    pub(super) fn read(&mut self, piece: &str) -> bool {
        let mut rest = piece;
        while let Some(&byte) = rest.as_bytes().first() {
            let length = match std::mem::replace(&mut self.place, Place::Between) {
                Place::Between => {
                    if let Some(length) = self.read_at_once(byte, rest) {
                        rest = &rest[length..];
                        continue;
                    }
                    if !self.begin(byte) {
                        return false;
                    }
                    // Outside of strings everything is ASCII; were it not, the character is skipped.
                    rest.chars().next().map_or(1, char::len_utf8)
                }
                Place::Plain(token, chars) => self.read_plain(token, chars, rest),
                Place::Text(text) => self.read_text(text, rest),
                Place::Escape(text, escape) => self.read_escape(text, escape, rest),
            };
            rest = &rest[length..];
        }
        true
    }

    /// Memory that the sketch takes: bytes of text, and a little for each value.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.held
    }

    pub(super) fn finish(mut self) -> Option<Node> {
        if let Place::Plain(token, chars) = std::mem::replace(&mut self.place, Place::Between) {
            self.end_plain(&token, chars);
        }
        let whole = self.open.is_empty() && matches!(self.place, Place::Between);
        self.root.filter(|_| whole)
    }

    /// What nearly all strings and numbers are: in one piece and without escapes.
    fn read_at_once(&mut self, byte: u8, rest: &str) -> Option<usize> {
        match byte {
            b'"' => {
                let length = memchr::memchr2(b'"', b'\\', &rest.as_bytes()[1..])?;
                let inside = &rest[1..=length];
                if !rest[1 + length..].starts_with('"') {
                    return None;
                }
                let mut text = Text::new();
                text.push(inside, cut::count(inside), self.keep());
                self.end_text(text);
                Some(length + 2)
            }
            b'-' | b'0'..=b'9' | b'a'..=b'z' => {
                let length = rest.bytes().position(ends_plain)?;
                self.end_plain(&rest[..length], length);
                Some(length)
            }
            _ => None,
        }
    }

    fn begin(&mut self, byte: u8) -> bool {
        match byte {
            b'{' => return self.open(Bracket::Object),
            b'[' => return self.open(Bracket::List),
            b'}' | b']' => self.close(),
            b',' => {
                if let Some(top) = self.open.last_mut() {
                    top.awaits_key = top.nest.bracket == Bracket::Object;
                }
            }
            b'"' => self.place = Place::Text(Text::new()),
            b':' | b' ' | b'\t' | b'\n' | b'\r' => {}
            _ => self.place = Place::Plain(char::from(byte).to_string(), 1),
        }
        true
    }

    fn open(&mut self, bracket: Bracket) -> bool {
        let lost =
            |top: &Open| top.keeps != Keeps::Everything || (top.nest.bracket == Bracket::Object && top.key.is_none());
        let keeps = if self.open.last().is_some_and(lost) { Keeps::Nothing } else { Keeps::Everything };
        self.open.push(Open {
            nest: Nest::new(bracket),
            chars: 2,
            values: 0,
            key: None,
            key_chars: 0,
            awaits_key: bracket == Bracket::Object,
            keeps,
        });
        self.open.len() <= MAX_DEPTH
    }

    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let kind = if open.keeps == Keeps::Nothing { Kind::Gone } else { Kind::Nest(open.nest) };
        // Its members are counted already.
        self.add(Node { kind, chars: open.chars, values: open.values.max(1) }, 8);
    }

    fn read_plain(&mut self, mut token: String, chars: usize, rest: &str) -> usize {
        let length = rest.bytes().position(ends_plain).unwrap_or(rest.len());
        let (part, after) = rest.split_at(length);
        if token.len() <= self.limit {
            token.push_str(&part[..cut::boundary(part, self.limit)]);
        }
        if after.is_empty() {
            self.place = Place::Plain(token, chars + length);
        } else {
            self.end_plain(&token, chars + length);
        }
        length
    }

    /// `token` is what was kept of so many characters.
    fn end_plain(&mut self, token: &str, chars: usize) {
        let can_be_shown = chars <= self.keep() && token.len() == chars && json::is_json(token);
        let kind = if can_be_shown { Kind::Plain(token.to_owned()) } else { Kind::Gone };
        self.add(Node { kind, chars, values: 1 }, token.len() + 8);
    }

    fn read_text(&mut self, mut text: Text, rest: &str) -> usize {
        let keep = self.keep();
        match memchr::memchr2(b'"', b'\\', rest.as_bytes()) {
            Some(0) if rest.starts_with('"') => {
                self.give_up_half(&mut text, keep);
                self.end_text(text);
                1
            }
            Some(0) => {
                self.place = Place::Escape(text, String::new());
                1
            }
            found => {
                self.give_up_half(&mut text, keep);
                let length = found.unwrap_or(rest.len());
                let piece = &rest[..length];
                text.push(piece, cut::count(piece), keep);
                self.place = Place::Text(text);
                length
            }
        }
    }

    /// How many characters of either end of a string can be shown.
    fn keep(&self) -> usize {
        let keeps = self.open.last().map_or(Keeps::Everything, |top| top.keeps);
        if keeps == Keeps::Everything { self.limit } else { 0 }
    }

    /// Half a surrogate pair is no character.
    fn give_up_half(&mut self, text: &mut Text, keep: usize) {
        if self.high.take().is_some() {
            text.push("\u{fffd}", 1, keep);
        }
    }

    fn read_escape(&mut self, mut text: Text, mut escape: String, rest: &str) -> usize {
        let Some(next) = rest.chars().next() else { return 0 };
        escape.push(next);
        let keep = self.keep();
        let c = match escape.as_bytes() {
            [b'u', ..] if escape.len() < 5 => {
                self.place = Place::Escape(text, escape);
                return next.len_utf8();
            }
            [b'u', ..] => self.unit(&mut text, &escape, keep),
            [byte, ..] => {
                self.give_up_half(&mut text, keep);
                Some(match byte {
                    b'n' => '\n',
                    b'r' => '\r',
                    b't' => '\t',
                    b'b' => '\u{8}',
                    b'f' => '\u{c}',
                    _ => next,
                })
            }
            [] => None,
        };
        if let Some(c) = c {
            text.push(c.encode_utf8(&mut [0; 4]), escaped_chars(c), keep);
        }
        self.place = Place::Text(text);
        next.len_utf8()
    }

    /// The character that `u` and four digits make, together with those before.
    fn unit(&mut self, text: &mut Text, escape: &str, keep: usize) -> Option<char> {
        let unit = escape.get(1..).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0xfffd);
        if let (Some(high), 0xdc00..=0xdfff) = (self.high, unit) {
            self.high = None;
            return char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
        }
        self.give_up_half(text, keep);
        if (0xd800..=0xdbff).contains(&unit) {
            self.high = Some(unit);
            return None;
        }
        Some(char::from_u32(unit).unwrap_or('\u{fffd}'))
    }

    fn end_text(&mut self, text: Text) {
        if let Some(top) = self.open.last_mut().filter(|top| top.awaits_key) {
            top.awaits_key = false;
            top.key_chars = text.json_chars;
            top.key = text.into_whole();
            return;
        }
        let held = text.held() + 8;
        self.add(Node { chars: text.json_chars, kind: Kind::Text(text), values: 1 }, held);
    }

    /// Puts a value where it belongs; `held` is the memory that is new.
    fn add(&mut self, value: Node, held: usize) {
        let Some(top) = self.open.last_mut() else {
            self.root = Some(value);
            return;
        };
        let comma = usize::from(top.nest.length > 0);
        let key = top.key.take();
        let named = match top.nest.bracket {
            Bracket::List => 0,
            Bracket::Object => top.key_chars + 1,
        };
        top.nest.length += 1;
        top.chars += comma + named + value.chars;
        top.values += value.values;
        let key = if top.nest.bracket == Bracket::List { Some(String::new()) } else { key };
        if let Some(key) = key.filter(|_| top.keeps == Keeps::Everything) {
            self.held += held + key.len();
            top.nest.members.push(Member { key, fixed: named + 1, value });
            if self.held > self.most {
                self.prune();
            }
        }
    }

    /// Lets go of all that can't be shown any more: what comes can only make everybody's share smaller.
    fn prune(&mut self) {
        let mut room = Some(self.limit);
        // What is inside an open member counts with all that has been read of it.
        let mut inner = 0;
        let mut inside = vec![0; self.open.len()];
        for (index, open) in self.open.iter().enumerate().rev() {
            inside[index] = inner;
            inner += open.chars;
        }
        let last = self.open.len() - 1;
        self.held = 0;
        for (index, open) in self.open.iter_mut().enumerate() {
            let named = if open.nest.bracket == Bracket::Object { open.key_chars + 1 } else { 0 };
            let next = (index < last).then_some(Cost { fixed: named + 1, value: inside[index] });
            let Some(share) = room.and_then(|room| open.nest.share(room, next)) else {
                // Not even a sign of it fits.
                open.nest.members = Vec::new();
                open.keeps = Keeps::Nothing;
                room = None;
                continue;
            };
            let there = open.nest.members.len();
            open.nest.keep(&share);
            self.held += open.nest.members.iter().map(|member| member.key.len() + member.value.held()).sum::<usize>();
            if open.nest.bracket == Bracket::List && share.kept.len() < there + usize::from(next.is_some()) {
                // Nothing may come after a gap.
                open.keeps = Keeps::NoMore;
            }
            let next_is_kept = share.kept.last() == Some(&there) && open.keeps == Keeps::Everything;
            if !next_is_kept {
                open.key = None;
            }
            room = next_is_kept.then_some(share.level.min(self.limit));
        }
        self.most = Self::most(self.limit).max(self.held.saturating_mul(2));
    }
}

/// Whether a number or a word ends before this byte.
fn ends_plain(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r')
}
