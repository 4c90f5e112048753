//! Hashes texts and JSON as they stream by; for JSON the order of keys doesn't count, and `1` is `1.0`.

use std::{
    hash::{BuildHasher, DefaultHasher, Hasher, RandomState},
    ops::ControlFlow,
};

use memchr::memchr2;
use serde::Serialize;

use crate::{
    json::{self, Fault, Walk},
    value::Output,
};

/// A hash of what it was fed, in order.
///
/// 64 bits of `SipHash` under a key that nobody outside knows: only neighbours are ever compared, so an accident is
/// as good as impossible, and without the key nobody can make texts that collide.
#[derive(Debug)]
pub(crate) struct Digest<'k> {
    keys: &'k RandomState,
    hasher: DefaultHasher,
}

impl<'k> Digest<'k> {
    pub(crate) fn new(keys: &'k RandomState) -> Self {
        Self { keys, hasher: keys.build_hasher() }
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.hasher.write_usize(bytes.len());
        self.hasher.write(bytes);
    }

    pub(crate) fn number(&mut self, number: u64) {
        self.hasher.write_u64(number);
    }

    /// The value as JSON; a value that can't be written is like any other that fails in the same way.
    pub(crate) fn json<T: Serialize + ?Sized>(&mut self, value: &T) {
        self.walk(|walk| json::write(value, walk));
    }

    /// The same for a tool's value, whose `Serialize` may panic.
    pub(crate) fn output(&mut self, output: &Output) {
        self.walk(|walk| output.write_json(walk));
    }

    /// An object of these members.
    pub(crate) fn members<'m, T: Serialize + 'm>(&mut self, members: impl Iterator<Item = (&'m String, &'m T)>) {
        let sum = members.fold(0_u64, |sum, (name, value)| {
            let mut member = Self::new(self.keys);
            member.text(name);
            member.json(value);
            sum.wrapping_add(member.finish())
        });
        self.number(sum);
    }

    pub(crate) fn finish(self) -> u64 {
        self.hasher.finish()
    }

    fn walk(&mut self, write: impl FnOnce(&mut Walk<'_>) -> Result<(), Fault>) {
        let mut tree = Tree::new(self.keys);
        let mut push = |piece: &str| {
            tree.feed(piece.as_bytes());
            ControlFlow::Continue(())
        };
        let written = write(&mut Walk { push: &mut push, edit: None, non_finite: 0 });
        match written {
            Ok(()) => self.number(tree.finish()),
            Err(fault) => self.text(&fault.to_string()),
        }
    }
}

/// Compact JSON, in pieces, to one hash.
struct Tree<'k> {
    keys: &'k RandomState,
    open: Vec<Open>,
    token: Token,
    root: u64,
}

/// A container whose end has not come yet.
enum Open {
    Array(DefaultHasher),
    /// The sum over the members, so that their order doesn't count, and the key that waits for its value.
    Object(u64, Option<u64>),
}

/// The scalar being read.
enum Token {
    None,
    /// Between its quotes; whether the next character is escaped.
    String(DefaultHasher, bool),
    /// A number or a word.
    Bare(String),
}

impl<'k> Tree<'k> {
    fn new(keys: &'k RandomState) -> Self {
        Self { keys, open: Vec::new(), token: Token::None, root: 0 }
    }

    fn feed(&mut self, mut bytes: &[u8]) {
        while let Some((&first, rest)) = bytes.split_first() {
            if let Token::String(hasher, escaped) = &mut self.token {
                if *escaped {
                    hasher.write_u8(first);
                    *escaped = false;
                    bytes = rest;
                    continue;
                }
                let plain = memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
                hasher.write(&bytes[..plain]);
                bytes = &bytes[plain..];
                match bytes.split_first() {
                    Some((b'\\', rest)) => {
                        hasher.write_u8(b'\\');
                        *escaped = true;
                        bytes = rest;
                    }
                    Some((_, rest)) => {
                        let digest = hasher.finish();
                        self.token = Token::None;
                        self.value(digest);
                        bytes = rest;
                    }
                    None => {}
                }
                continue;
            }
            self.structure(first);
            bytes = rest;
        }
    }

    fn structure(&mut self, byte: u8) {
        match byte {
            b'"' => self.token = Token::String(self.tagged(b'"'), false),
            b'[' => self.open.push(Open::Array(self.tagged(b'['))),
            b'{' => self.open.push(Open::Object(0, None)),
            b',' | b':' => self.end_bare(),
            b']' | b'}' => {
                self.end_bare();
                let digest = match self.open.pop() {
                    Some(Open::Array(hasher)) => hasher.finish(),
                    Some(Open::Object(sum, _)) => {
                        let mut hasher = self.tagged(b'{');
                        hasher.write_u64(sum);
                        hasher.finish()
                    }
                    None => return,
                };
                self.value(digest);
            }
            _ => match &mut self.token {
                Token::Bare(word) => word.push(char::from(byte)),
                _ => self.token = Token::Bare(char::from(byte).into()),
            },
        }
    }

    fn end_bare(&mut self) {
        if let Token::Bare(word) = std::mem::replace(&mut self.token, Token::None) {
            let mut hasher = self.tagged(b'0');
            match whole(&word) {
                Some(number) => hasher.write_i128(number),
                None => hasher.write(word.as_bytes()),
            }
            self.value(hasher.finish());
        }
    }

    /// A value or key has ended.
    fn value(&mut self, digest: u64) {
        let mut pair = self.tagged(b':');
        match self.open.last_mut() {
            None => self.root = digest,
            Some(Open::Array(hasher)) => hasher.write_u64(digest),
            Some(Open::Object(_, key @ None)) => *key = Some(digest),
            Some(Open::Object(sum, key)) => {
                pair.write_u64(key.take().unwrap_or_default());
                pair.write_u64(digest);
                *sum = sum.wrapping_add(pair.finish());
            }
        }
    }

    fn finish(mut self) -> u64 {
        self.end_bare();
        self.root
    }

    /// So that `"1"`, `1`, `[1]` and `{"1":1}` are four things.
    fn tagged(&self, tag: u8) -> DefaultHasher {
        let mut hasher = self.keys.build_hasher();
        hasher.write_u8(tag);
        hasher
    }
}

/// A number without a fraction, however it is written.
fn whole(word: &str) -> Option<i128> {
    if !word.contains(['.', 'e', 'E']) {
        return word.parse().ok();
    }
    let number: f64 = word.parse().ok()?;
    // Beyond 2^96 every number is whole, and the words are as good.
    let is_whole = number.fract() == 0.0 && number.abs() < 79_228_162_514_264_337_593_543_950_336.0;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and in range")]
    is_whole.then_some(number as i128)
}
