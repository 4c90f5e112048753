//! One pass over the raw text: is it one JSON object, is any key in it ambiguous, and where do its values stand?
//!
//! The grammar is exactly `serde_json`'s. Recursion is bounded by the depth limit, and a frame is small.

use super::{
    members::{FEW, Member, Members, Span},
    pointer,
    string::{same_text, unescape},
    tree::Node,
};
use crate::index::Places;

/// Duplicate keys reported at most.
pub(super) const MAX_REPORTED: usize = 100;
/// Numbers with fewer digits before the point fit an `f32`.
const LARGE: usize = 39;
/// What `serde_json` calls the one key of objects that stand for its own types. From the text of a model it would read
/// the value of such a key as JSON once more, past this scan.
pub(super) const RESERVED: &str = "$serde_json::private::";

/// Why the text can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Not JSON from this byte on.
    Invalid {
        at: usize,
        expected: &'static str,
    },
    /// The text ends before the value does.
    CutOff,
    TooDeep,
    /// A key that begins with [`RESERVED`].
    Reserved,
    /// JSON, but of this kind.
    NotAnObject(&'static str),
}

/// What the pass found beside the members.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Found {
    /// Paths of keys that stand twice with different values.
    pub(super) duplicates: Vec<String>,
    /// Members that only repeat an earlier one, each with the comma before it.
    pub(super) repeated: Vec<Span>,
}

/// Scans `text` and puts the members of its object into `members`. The object itself is level 1 of `max_depth`.
pub(super) fn scan(text: &str, max_depth: usize, members: &mut Members) -> Result<Found, Fault> {
    members.clear();
    let mut scanner = Scanner::new(text, max_depth);
    scanner.skip_space();
    let kind = match scanner.peek() {
        Some(b'{') if max_depth > 0 => {
            scanner.object(1, &Trail::Root, members)?;
            "object"
        }
        _ => scanner.value(0, &Trail::Root)?,
    };
    scanner.skip_space();
    if scanner.peek().is_some() {
        return Err(scanner.wrong("the end of the text"));
    }
    members.has_large_number = scanner.has_large_number;
    if kind == "object" { Ok(scanner.found) } else { Err(Fault::NotAnObject(kind)) }
}

/// Whether the whole text is a JSON number of this kind: `integer`, or `number` for one with a fraction or exponent.
pub(super) fn is_number(text: &str, kind: &str) -> bool {
    let mut scanner = Scanner::new(text, 0);
    scanner.number().is_ok_and(|found| found == kind) && scanner.peek().is_none()
}

/// The way from the root to where the scan stands, in the frames of the scan.
enum Trail<'p> {
    Root,
    Key(&'p Trail<'p>, Span),
    Item(&'p Trail<'p>, usize),
}

impl Trail<'_> {
    fn write(&self, text: &str, out: &mut String) {
        match self {
            Self::Root => {}
            Self::Key(parent, key) => {
                parent.write(text, out);
                pointer::push(out, &unescape(key.of(text)));
            }
            Self::Item(parent, index) => {
                parent.write(text, out);
                pointer::push(out, &index.to_string());
            }
        }
    }
}

#[inline(never)]
fn earlier_of_many(text: &str, member: Member, known: &[Member], places: &mut Option<Places>) -> Option<Member> {
    let key = |member: &Member| unescape(member.key.of(text)).into_owned();
    let places = places.get_or_insert_with(|| {
        let mut places = Places::new();
        for (place, member) in known.iter().enumerate() {
            places.insert(key(member), place);
        }
        places
    });
    let place = *places.entry(key(&member)).or_insert(known.len());
    known.get(place).copied()
}

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    max_depth: usize,
    found: Found,
    /// Bytes that may still be compared; when they are used up, repeated keys count as different. Without it, a
    /// long value repeated many times would cost its length each time.
    comparable: usize,
    /// The keys whose duplicates have been reported, by where they stand first.
    reported: Vec<u32>,
    has_large_number: bool,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str, max_depth: usize) -> Self {
        let comparable = text.len().saturating_mul(8);
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            max_depth,
            found: Found::default(),
            comparable,
            reported: Vec::new(),
            has_large_number: false,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    fn wrong(&self, expected: &'static str) -> Fault {
        if self.at < self.bytes.len() { Fault::Invalid { at: self.at, expected } } else { Fault::CutOff }
    }

    /// A value inside `depth` open containers; says what kind it is.
    fn value(&mut self, depth: usize, trail: &Trail<'_>) -> Result<&'static str, Fault> {
        match self.peek() {
            Some(b'{') => {
                self.inner_object(depth, trail)?;
                Ok("object")
            }
            Some(b'[') => {
                self.array(depth, trail)?;
                Ok("array")
            }
            Some(b'"') => {
                self.string()?;
                Ok("string")
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.literal(b"true", "boolean"),
            Some(b'f') => self.literal(b"false", "boolean"),
            Some(b'n') => self.literal(b"null", "null"),
            _ => Err(self.wrong("a JSON value")),
        }
    }

    fn array(&mut self, depth: usize, trail: &Trail<'_>) -> Result<(), Fault> {
        if depth >= self.max_depth {
            return Err(Fault::TooDeep);
        }
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        for index in 0.. {
            self.value(depth + 1, &Trail::Item(trail, index))?;
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.wrong("`,` or `]`")),
            }
            self.skip_space();
        }
        self.at += 1;
        Ok(())
    }

    // Apart, so that only frames of objects hold a table of members.
    #[inline(never)]
    fn inner_object(&mut self, depth: usize, trail: &Trail<'_>) -> Result<(), Fault> {
        if depth >= self.max_depth {
            return Err(Fault::TooDeep);
        }
        self.object(depth + 1, trail, &mut Members::new())
    }

    /// The object at level `depth`, whose `{` is next.
    fn object(&mut self, depth: usize, trail: &Trail<'_>, members: &mut Members) -> Result<(), Fault> {
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        let mut places = None;
        let mut comma = self.at;
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.wrong("a key in double quotes"));
            }
            let key = self.string()?;
            if is_reserved(key.of(self.text)) {
                return Err(Fault::Reserved);
            }
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.wrong("`:`"));
            }
            self.at += 1;
            self.skip_space();
            let start = self.at;
            self.value(depth, &Trail::Key(trail, key))?;
            let member = Member { key, value: Span::new(start, self.at) };
            match self.earlier(member, members, &mut places) {
                None => members.push(member),
                Some(earlier) => self.repeated(trail, earlier, member, comma),
            }
            self.skip_space();
            comma = self.at;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err(self.wrong("`,` or `}`")),
            }
            self.skip_space();
        }
        self.at += 1;
        Ok(())
    }

    /// The member that has this key already. A large object gets an index, so that the whole stays linear.
    fn earlier(&self, member: Member, members: &Members, places: &mut Option<Places>) -> Option<Member> {
        let text = self.text;
        let known = members.as_slice();
        if known.len() < FEW {
            let key = member.key.of(text);
            return known.iter().find(|earlier| same_text(earlier.key.of(text), key)).copied();
        }
        earlier_of_many(text, member, known, places)
    }

    fn repeated(&mut self, trail: &Trail<'_>, earlier: Member, member: Member, comma: usize) {
        let (first, second) = (earlier.value.of(self.text), member.value.of(self.text));
        if self.is_same(first, second) {
            self.found.repeated.push(Span::new(comma, self.at));
        } else if self.reported.len() < MAX_REPORTED && !self.reported.contains(&earlier.key.first_byte()) {
            self.reported.push(earlier.key.first_byte());
            let mut path = String::new();
            Trail::Key(trail, member.key).write(self.text, &mut path);
            self.found.duplicates.push(path);
        }
    }

    fn is_same(&mut self, first: &str, second: &str) -> bool {
        if first == second {
            return true;
        }
        let cost = first.len() + second.len();
        let Some(left) = self.comparable.checked_sub(cost) else { return false };
        self.comparable = left;
        Node::parse(first).same(&Node::parse(second))
    }

    /// A string; what stands between its quotes.
    fn string(&mut self) -> Result<Span, Fault> {
        self.at += 1;
        let start = self.at;
        loop {
            let rest = &self.bytes[self.at..];
            let plain = rest.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\');
            self.at += plain.unwrap_or(rest.len());
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.escape()?,
                _ => return Err(self.wrong("control characters in strings to be escaped")),
            }
        }
        let end = self.at;
        self.at += 1;
        Ok(Span::new(start, end))
    }

    fn escape(&mut self) -> Result<(), Fault> {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => {
                let start = self.at - 1;
                match self.code_unit()? {
                    0xd800..=0xdbff => {
                        for byte in *b"\\u" {
                            if self.peek() != Some(byte) {
                                return Err(self.lone(start));
                            }
                            self.at += 1;
                        }
                        self.at -= 1;
                        if (0xdc00..=0xdfff).contains(&self.code_unit()?) { Ok(()) } else { Err(lone(start)) }
                    }
                    0xdc00..=0xdfff => Err(lone(start)),
                    _ => Ok(()),
                }
            }
            _ => Err(self.wrong("a valid escape after `\\`")),
        }
    }

    fn lone(&self, start: usize) -> Fault {
        if self.at < self.bytes.len() { lone(start) } else { Fault::CutOff }
    }

    /// Four hexadecimal digits after the `u` that is next.
    fn code_unit(&mut self) -> Result<u32, Fault> {
        self.at += 1;
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            unit = unit * 16 + digit.ok_or_else(|| self.wrong("four hexadecimal digits after `\\u`"))?;
            self.at += 1;
        }
        Ok(unit)
    }

    fn number(&mut self) -> Result<&'static str, Fault> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let mut large = 1;
        if self.peek() == Some(b'0') {
            self.at += 1;
            if matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(self.wrong("no digit after a leading 0"));
            }
        } else {
            large = self.digits()?;
        }
        let mut kind = "integer";
        if self.peek() == Some(b'.') {
            kind = "number";
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            kind = "number";
            self.at += 1;
            let sign = self.peek().filter(|sign| matches!(sign, b'+' | b'-'));
            self.at += usize::from(sign.is_some());
            let start = self.at;
            self.digits()?;
            if sign != Some(b'-') {
                let exponent = self.text.get(start..self.at).and_then(|digits| digits.parse().ok());
                large = large.saturating_add(exponent.unwrap_or(usize::MAX));
            }
        }
        self.has_large_number |= large >= LARGE;
        Ok(kind)
    }

    /// At least one digit; says how many.
    fn digits(&mut self) -> Result<usize, Fault> {
        let count = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        if count == 0 { Err(self.wrong("a digit")) } else { Ok(count) }
    }

    fn literal(&mut self, word: &'static [u8], kind: &'static str) -> Result<&'static str, Fault> {
        for &byte in word {
            if self.peek() != Some(byte) {
                return Err(self.wrong("a JSON value"));
            }
            self.at += 1;
        }
        Ok(kind)
    }
}

fn lone(at: usize) -> Fault {
    Fault::Invalid { at, expected: "surrogates in pairs" }
}

fn is_reserved(key: &str) -> bool {
    key.starts_with(['$', '\\']) && unescape(key).starts_with(RESERVED)
}
