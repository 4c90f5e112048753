//! Edits the strings of JSON that is text already, without building a tree of it.

use std::{borrow::Cow, fmt, ops::ControlFlow};

use serde::de::{Deserializer, IgnoredAny, Visitor};

use super::{Edit, Fault, MAX_DEPTH, Push, Role, sink::Sink, text::quote};

/// What to say of raw JSON that is none.
pub(super) const NO_JSON: &str = "a raw JSON value is not JSON";

/// Whether `text` is one JSON document, of any depth; needs no memory beside a byte per level.
pub(crate) fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Whether `text` is JSON documents one after the other, none deeper than a value may be; needs no memory to speak of.
pub(crate) fn is_sequence(text: &str) -> bool {
    let mut level = Level::inside(0, true);
    pieces(text, &mut |piece, _| level.follow(piece)).is_ok()
        && serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>().all(|document| document.is_ok())
}

/// Whether `text` is one JSON number and nothing else.
pub(super) fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && text.ends_with(|c: char| c.is_ascii_digit())
        && is_json(text)
}

/// Writes the JSON document `text` compactly, with its strings and keys as `edit` gives them back; numbers, and
/// strings that stay the same, keep their spelling. In text that is no JSON, what looks like a string is edited.
pub(crate) fn rewrite(text: &str, push: Push<'_>, edit: Edit<'_>) -> Result<(), Fault> {
    let mut sink = Sink::new(push);
    let mut level = Level::inside(0, true);
    pieces(text, &mut |piece, after| {
        level.follow(piece)?;
        let written = match piece {
            Piece::Blank(_) => ControlFlow::Continue(()),
            Piece::Other(token) => sink.write(token.as_bytes()),
            Piece::String(token) => write_string(&mut sink, token, level.role(after), edit),
        };
        if written.is_break() { Err(Fault::Stopped) } else { Ok(()) }
    })?;
    if sink.flush_text().is_break() { Err(Fault::Stopped) } else { Ok(()) }
}

/// The same for JSON inside a value that is being written; nothing is copied without `edit`. What a value only
/// claims to be JSON would go out as it stands, so it has to be.
pub(super) fn embedded<'t>(text: &'t str, mut level: Level, edit: Option<Edit<'_>>) -> Result<Cow<'t, str>, Fault> {
    if !is_json(text) {
        return Err(Fault::Failed(NO_JSON.to_owned()));
    }
    let Some(edit) = edit else {
        pieces(text, &mut |piece, _| level.follow(piece))?;
        return Ok(Cow::Borrowed(text));
    };
    let mut edited = String::with_capacity(text.len());
    let mut push = |piece: &str| {
        edited.push_str(piece);
        ControlFlow::Continue(())
    };
    let mut sink = Sink::new(&mut push);
    pieces(text, &mut |piece, after| {
        level.follow(piece)?;
        let _ = match piece {
            Piece::Blank(text) | Piece::Other(text) => sink.write(text.as_bytes()),
            Piece::String(token) => write_string(&mut sink, token, level.role(after), edit),
        };
        Ok(())
    })?;
    let _ = sink.flush_text();
    drop(sink);
    Ok(Cow::Owned(edited))
}

/// How deep a piece of JSON lies.
pub(super) struct Level {
    depth: usize,
    /// The depth inside the outermost object, if this text is the one that opens it.
    top: Option<usize>,
}

impl Level {
    /// At the beginning of JSON that lies `depth` levels deep.
    pub(super) fn inside(depth: usize, outermost: bool) -> Self {
        Self { depth, top: outermost.then_some(depth + 1) }
    }

    fn follow(&mut self, piece: Piece<'_>) -> Result<(), Fault> {
        match piece {
            Piece::Other("{" | "[") => self.depth += 1,
            Piece::Other("}" | "]") => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        if self.depth > MAX_DEPTH { Err(Fault::TooDeep) } else { Ok(()) }
    }

    fn role(&self, after: &str) -> Role {
        if after.trim_start().starts_with(':') { Role::Key { top: self.top == Some(self.depth) } } else { Role::Value }
    }
}

#[derive(Clone, Copy)]
enum Piece<'t> {
    /// Spaces, tabs and line ends.
    Blank(&'t str),
    /// A string with its quotes.
    String(&'t str),
    /// One bracket, or a run of anything else.
    Other(&'t str),
}

/// Calls `each` with every piece and what follows it.
fn pieces<'t>(text: &'t str, each: &mut dyn FnMut(Piece<'t>, &'t str) -> Result<(), Fault>) -> Result<(), Fault> {
    let mut rest = text;
    while let Some(&first) = rest.as_bytes().first() {
        let (length, make): (_, fn(&'t str) -> Piece<'t>) = match first {
            b'"' => (string_length(rest), Piece::String),
            b'{' | b'}' | b'[' | b']' => (1, Piece::Other),
            b' ' | b'\t' | b'\n' | b'\r' => (run_length(rest, is_blank), Piece::Blank),
            _ => (run_length(rest, |byte| !is_blank(byte) && !b"\"{}[]".contains(&byte)), Piece::Other),
        };
        let (piece, after) = rest.split_at(length);
        each(make(piece), after)?;
        rest = after;
    }
    Ok(())
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn run_length(text: &str, belongs: impl Fn(u8) -> bool) -> usize {
    text.bytes().position(|byte| !belongs(byte)).unwrap_or(text.len())
}

/// From quote to quote; to the end where the closing one is missing.
fn string_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        // The character after a backslash may be long.
        at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8);
    }
    text.len()
}

fn write_string(sink: &mut Sink<'_>, token: &str, role: Role, edit: Edit<'_>) -> ControlFlow<()> {
    let decoded = decode(token);
    let edited = edit(role, &decoded);
    if *edited == *decoded {
        return sink.write(token.as_bytes());
    }
    let mut quoted = String::with_capacity(edited.len() + 2);
    quote(&edited, &mut quoted);
    sink.write(quoted.as_bytes())
}

/// The string that a token stands for; half a surrogate pair shows as U+FFFD.
fn decode(token: &str) -> Cow<'_, str> {
    let inner = token.strip_prefix('"').unwrap_or(token);
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Cow::Borrowed(inner.strip_suffix('"').unwrap_or(inner));
    }
    let mut reader = serde_json::Deserializer::from_str(token);
    // As bytes, because only bytes may hold half a surrogate pair.
    reader.deserialize_bytes(Lossy).map_or(Cow::Borrowed(inner), Cow::Owned)
}

struct Lossy;

impl Visitor<'_> for Lossy {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<String, E> {
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }
}
