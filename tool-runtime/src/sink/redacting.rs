//! Redactors over a text that comes in blocks.

use std::borrow::Cow;

use crate::{cut, redact::Redactor};

/// What a redactor that wants to see everything gets to see, in bytes.
const WHOLE: usize = 256 * 1024;

/// Places at which a text with secrets may be parted that are tried before more of it is waited for.
const TRIES: usize = 8;

/// Bytes of one secret, where it is longer than the redactor's window.
const LONGEST: usize = 1024 * 1024;

/// Why a text can't be redacted block by block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unredacted {
    /// The redactor needs the whole of a text that is too long for that.
    NeedsWhole,
    /// No place was found at which the text could be parted.
    Inseparable,
}

/// One redactor with what has still to be seen together with what comes next.
#[derive(Debug)]
pub(super) struct Redacting {
    /// The longest secret, in bytes.
    window: Option<usize>,
    held: String,
    /// As soon as so much is held, something has to go.
    next: usize,
}

impl Redacting {
    pub(super) fn new(redactor: &dyn Redactor) -> Self {
        let window = redactor.window();
        Self { window, held: String::new(), next: window.map_or(WHOLE, |window| window.saturating_mul(2)) }
    }

    /// Takes the next block, and gives all that is decided.
    pub(super) fn feed(&mut self, redactor: &dyn Redactor, text: &str) -> Result<String, Unredacted> {
        self.held.push_str(text);
        if self.held.len() <= self.next {
            return Ok(String::new());
        }
        let Some(window) = self.window else { return Err(Unredacted::NeedsWhole) };
        // A secret that begins before `last` is here as a whole.
        let last = cut::boundary(&self.held, self.held.len() - window);
        let redacted = match redactor.redact(&self.held) {
            Cow::Owned(redacted) if redacted != self.held => redacted,
            _ => {
                self.next = window.saturating_mul(2);
                let rest = self.held.split_off(good_place(&self.held, last));
                return Ok(std::mem::replace(&mut self.held, rest));
            }
        };
        let mut place = last;
        let mut decided = String::new();
        for _ in 0..TRIES {
            place = good_place(&self.held, place);
            if place == 0 {
                break;
            }
            // Nothing hidden goes across a place behind which everything comes out as it does in the whole.
            if let Some(before) = redacted.strip_suffix(&*redactor.redact(&self.held[place..])) {
                before.clone_into(&mut decided);
                self.held.drain(..place);
                break;
            }
            place = cut::boundary(&self.held, place.saturating_sub(1 + last / TRIES));
        }
        if self.held.len() > window.saturating_mul(8).max(LONGEST) {
            return Err(Unredacted::Inseparable);
        }
        self.next = self.held.len().max(window).saturating_mul(2);
        Ok(decided)
    }

    /// Gives the rest.
    pub(super) fn finish(&mut self, redactor: &dyn Redactor) -> String {
        redactor.redact(&std::mem::take(&mut self.held)).into_owned()
    }
}

/// A place up to `last`, and not far before it, where text is rather parted: behind a line end or a blank.
fn good_place(text: &str, last: usize) -> usize {
    let near = &text.as_bytes()[last.saturating_sub(1024)..last];
    let behind = |found: usize| last - near.len() + found + 1;
    memchr::memrchr(b'\n', near).or_else(|| memchr::memrchr(b' ', near)).map_or(last, behind)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Hides `<…>` of up to 20 bytes.
    struct Angles(Option<usize>);

    impl Redactor for Angles {
        fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
            let mut out = String::new();
            let mut rest = text;
            while let Some((before, inside)) = rest.split_once('<') {
                out.push_str(before);
                match inside.find(['<', '>']).filter(|end| *end <= 18 && inside.as_bytes()[*end] == b'>') {
                    Some(end) => {
                        out.push_str("[hidden]");
                        rest = &inside[end + 1..];
                    }
                    None => {
                        out.push('<');
                        rest = inside;
                    }
                }
            }
            if out.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(out + rest) }
        }

        fn window(&self) -> Option<usize> {
            self.0
        }
    }

    proptest! {
        #[test]
        fn blocks_are_redacted_like_the_whole(
            pieces in prop::collection::vec("(<[a-z]{0,22}>|<|>|[a-zé ]{0,30}|\n)", 0..40),
            length in 1_usize..30,
        ) {
            let (text, redactor) = (pieces.concat(), Angles(Some(20)));
            let mut redacting = Redacting::new(&redactor);
            let mut out = String::new();
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let (block, behind) = rest.split_at(cut::offset(rest, length));
                out += &redacting.feed(&redactor, block).unwrap();
                rest = behind;
            }
            out += &redacting.finish(&redactor);
            prop_assert_eq!(out, redactor.redact(&text));
        }
    }

    /// What it makes of a text depends on all of it.
    struct All(Option<usize>);

    impl Redactor for All {
        fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
            Cow::Owned(format!("{} bytes", text.len()))
        }

        fn window(&self) -> Option<usize> {
            self.0
        }
    }

    /// Hides everything behind a word.
    struct Behind;

    impl Redactor for Behind {
        fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
            text.split_once("SECRET").map_or(text.into(), |(before, _)| format!("{before}[hidden]").into())
        }
    }

    #[test]
    fn a_secret_without_end_is_refused_and_what_stands_before_it_given() {
        let mut redacting = Redacting::new(&Behind);
        let block = "word ".repeat(10_000);
        let mut out = redacting.feed(&Behind, &block).unwrap();
        out += &redacting.feed(&Behind, "SECRET").unwrap();
        let refused = (0..100).find_map(|_| match redacting.feed(&Behind, &block) {
            Ok(more) => {
                out += &more;
                assert!(redacting.held.len() < 3 * LONGEST);
                None
            }
            Err(refused) => Some(refused),
        });
        assert_eq!(refused, Some(Unredacted::Inseparable));
        assert!(block.starts_with(&out) && out.len() > 30_000);
    }

    #[test]
    fn what_cannot_be_parted_is_refused() {
        for (window, reason) in [(Some(100), Unredacted::Inseparable), (None, Unredacted::NeedsWhole)] {
            let redactor = All(window);
            let mut redacting = Redacting::new(&redactor);
            let refused = (0..100).find_map(|_| redacting.feed(&redactor, &"x".repeat(64 * 1024)).err());
            assert_eq!(refused, Some(reason));
        }
    }
}
