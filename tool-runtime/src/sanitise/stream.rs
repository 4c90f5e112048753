//! Text that comes in blocks, sanitised as if it came at once.
//!
//! A block is parted where nothing can be going on: no sequence, escape, token or marker. What is behind that place
//! waits for the next block.

use std::ops::ControlFlow;

use super::{
    Counts, ansi,
    bytes::{self, Part},
    chars::Chars,
    escape::{self, Unit},
    filter::Filter,
    glyph, invisible,
    name::Marker,
    pour_on, token,
};

/// Bytes that may wait. Where something goes on for longer, it is broken off by a character that ends everything.
const MOST: usize = 64 * 1024;

/// Fewer bytes just wait, without a closer look at what goes on in them.
const SHORT: usize = 4 * 1024;

/// Sanitises a text that comes in blocks. Not to be used again once `push` broke off.
#[derive(Debug)]
pub(crate) struct Stream {
    held: String,
    filter: Filter,
    counts: Counts,
    most: usize,
    short: usize,
}

impl Default for Stream {
    fn default() -> Self {
        Self { held: String::new(), filter: Filter::default(), counts: Counts::default(), most: MOST, short: SHORT }
    }
}

impl Stream {
    /// What was done to everything that was pushed.
    pub(crate) fn counts(&self) -> Counts {
        self.counts
    }

    /// Takes the next block, and pushes all that is decided.
    pub(crate) fn feed(&mut self, text: &str, push: &mut dyn FnMut(&str)) {
        self.held.push_str(text);
        let place = part(&self.held, self.filter, self.short);
        self.pour(place, push);
        if self.held.len() > self.most {
            self.pour(self.held.len(), push);
            push(BREAK);
            self.counts.defused += 1;
            self.filter = self.filter.over(BREAK);
        }
    }

    /// Pushes the rest.
    pub(crate) fn finish(&mut self, push: &mut dyn FnMut(&str)) {
        self.pour(self.held.len(), push);
    }

    fn pour(&mut self, until: usize, push: &mut dyn FnMut(&str)) {
        let mut push = |slice: &str| {
            push(slice);
            ControlFlow::Continue(())
        };
        let (counts, filter, _) = pour_on(self.filter, &self.held[..until], &mut push);
        self.counts.removed += counts.removed;
        self.counts.defused += counts.defused;
        self.filter = filter;
        self.held.drain(..until);
    }
}

/// Part of no marker, token or escape.
const BREAK: &str = ",";

/// Where `text`, which begins at such a place, can be parted so that both halves come to what the whole comes to.
fn part(text: &str, filter: Filter, short: usize) -> usize {
    let stop = last_stop(text);
    let begins = |byte: &u8| bytes::part(*byte) == Part::Beginning || bytes::is_hot(*byte);
    let Some(quiet) = text.as_bytes()[stop..].iter().position(begins) else { return text.len() };
    let place = stop + quiet;
    if text.len() - place < short { place } else { last_idle(text, place, filter).unwrap_or(place) }
}

/// Behind the last character that ends everything.
fn last_stop(text: &str) -> usize {
    let mut until = text.len();
    loop {
        let found = text.as_bytes()[..until].iter().rposition(|byte| bytes::part(*byte) == Part::None);
        let Some(stop) = found.map(|at| at + 1) else { return 0 };
        match unclosed(text, stop) {
            None => return stop,
            Some(sequence) => until = sequence,
        }
    }
}

/// The first control sequence on the line of `stop` that may go on behind it.
fn unclosed(text: &str, stop: usize) -> Option<usize> {
    let bytes = &text.as_bytes()[..stop];
    let mut at = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
    while let Some(found) = memchr::memchr2(0x1b, 0xc2, &bytes[at..]) {
        at += found;
        let introducer = match &text.as_bytes()[at..] {
            [0x1b, b'[' | b']' | b'P' | b'X' | b'^' | b'_', ..] => 2,
            [0x1b, ..] => 1,
            [_, 0x80..=0x9f, ..] => 2,
            _ => {
                at += 2;
                continue;
            }
        };
        let length = ansi::length(&text[at..]);
        // One that is not closed before this place may be closed by what comes next, or by what looked like a stop.
        if length <= introducer && length > 0 || at + length >= stop {
            return Some(at);
        }
        at += length.max(introducer);
    }
    None
}

/// The last place from `from` on, where nothing is going on, where nothing is going on again. Looks at every character.
fn last_idle(text: &str, from: usize, filter: Filter) -> Option<usize> {
    let until = unclosed(text, text.len()).unwrap_or(text.len());
    let mut chars = Chars { text, at: from, filter: filter.over(&text[..from]) };
    let mut marker = Marker::default();
    let mut found = None;
    // Whether an escape or a token may be going on.
    let mut spelling = false;
    while let Some(unit) = escape::unit(&mut chars).filter(|unit| unit.end <= until) {
        marker.feed(unit);
        let c = glyph::narrow(unit.c);
        spelling = !unit.literal || begins_spelling(c) || (spelling && goes_on_spelling(c));
        if marker.is_idle() && !spelling && is_settled(text, unit) {
            found = Some(unit.end);
        }
    }
    found
}

/// Whether an escape or a token begins with it.
fn begins_spelling(c: char) -> bool {
    matches!(c, '&' | '%' | '=' | '+' | '\\' | '[') || token::is_angle(c)
}

/// Whether it may stand in an escape or a token, or might: white space and most punctuation don't.
fn goes_on_spelling(c: char) -> bool {
    !(c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '.' | '!' | '?' | '(' | ')' | '*' | '@' | '$' | '。' | '、'))
}

/// Whether a character stays whatever follows it.
fn is_settled(text: &str, unit: Unit) -> bool {
    let half_a_line_end = text.as_bytes()[unit.end - 1] == b'\r';
    unit.literal && !half_a_line_end && !invisible::is_hidden(unit.c) && unit.c != invisible::BLACK_FLAG
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::tests::hostile, *};
    use crate::sanitise;

    /// The text in blocks of these lengths, as far as characters allow.
    fn streamed(text: &str, lengths: &[usize], most: usize, short: usize) -> (String, Counts) {
        let mut stream = Stream { most, short, ..Stream::default() };
        let mut out = String::new();
        let mut rest = text;
        for length in lengths.iter().cycle() {
            let (block, behind) = rest.split_at(crate::cut::offset(rest, *length));
            stream.feed(block, &mut |slice| out.push_str(slice));
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
        stream.finish(&mut |slice| out.push_str(slice));
        (out, stream.counts())
    }

    /// Hostile texts, and other characters between them.
    fn texts() -> impl Strategy<Value = String> {
        let stops = prop::sample::select(vec![
            "。", "、", "，", "€", "🦀", "…", "字", "く", "=", "+", ">", "'", "é", ": ", "ADw-",
        ])
        .prop_map(str::to_owned);
        prop::collection::vec(prop_oneof![2 => hostile(), 1 => stops], 1..6).prop_map(|texts| texts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn blocks_come_to_what_the_whole_comes_to(
            text in texts(),
            lengths in prop::collection::vec(1_usize..40, 1..5),
            short in prop::sample::select(vec![0, 8, 4096]),
        ) {
            let (whole, counts) = sanitise::text(&text);
            prop_assert_eq!(streamed(&text, &lengths, MOST, short), (whole.as_str().to_owned(), counts));
        }

        #[test]
        fn nothing_gets_through_where_a_block_is_broken_off(
            text in texts(),
            lengths in prop::collection::vec(1_usize..40, 1..5),
            most in 0_usize..60,
        ) {
            let (out, _) = streamed(&text, &lengths, most, 0);
            let (again, counts) = sanitise::text(&out);
            prop_assert_eq!((again.as_str(), counts), (out.as_str(), Counts::default()));
        }
    }

    #[test]
    fn little_waits_in_ordinary_text() {
        for line in [
            "plain words and numbers 1 2 3\n",
            "漢字かな交じりの文が続く\n",
            "\u{1b}[32mINFO\u{1b}[0m a.rs: 1\n",
            "{\"a\":[1,2]}",
            "<a href=\"x.html\">text</a>",
            "key=value&other=%20; a += b\n",
            "C:\\\\temp\\\\file|x~y\n",
            "x",
        ] {
            let mut stream = Stream::default();
            let block = line.repeat(MOST / line.len());
            for _ in 0..4 {
                stream.feed(&block, &mut |_| {});
                assert!(stream.held.len() <= SHORT, "{line:?}: {}", stream.held.len());
            }
            assert_eq!(stream.counts().defused, 0);
        }
    }

    #[test]
    fn what_never_ends_is_broken_off() {
        let mut stream = Stream::default();
        let mut out = String::new();
        stream.feed(&format!("<{}", " ".repeat(2 * MOST)), &mut |slice| out.push_str(slice));
        stream.feed("external_tool_result>", &mut |slice| out.push_str(slice));
        stream.finish(&mut |slice| out.push_str(slice));
        assert!(out.ends_with(" ,external_tool_result>"));
        assert_eq!(stream.counts(), Counts { removed: 0, defused: 1 });
    }
}
