//! What could break out of the fence, or hide from its reader, taken out of external text.
//!
//! ```text
//! text ──scout──▶ the few places that need a closer look
//!        filter   which characters stay        (control sequences, invisible characters, line ends)
//!        escape   what the rest spells          (`&lt;`, `\u003c`, `%3C` are brackets too)
//!        token    chat-template tokens
//!        name     the marker's own name after a bracket
//! ```
//!
//! Removal comes first, then matching on what is left, so that no removed character can join two halves
//! to something that was not there before. What is written in place of a match contains no bracket and no
//! quote: it can't take part in another match, and a JSON string stays a JSON string.

mod ansi;
mod bytes;
mod chars;
mod escape;
mod filter;
mod glyph;
mod invisible;
mod lookalikes;
mod media;
mod name;
mod scout;
mod seek;
mod steps;
mod stream;
mod token;
mod unicode;

use std::{borrow::Cow, ops::ControlFlow};

use crate::json;
use filter::{Filter, Piece};
pub(crate) use media::media_type;
use seek::Found;
pub(crate) use stream::Stream;

/// What sanitising did, in characters of the original text. Line ends that became `\n` count as neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) removed: usize,
    /// Of markers and tokens that became text that is no tag.
    pub(crate) defused: usize,
}

/// Text that went through here, and nothing else: what a fence may be put round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sanitised<'a>(Cow<'a, str>);

impl<'a> Sanitised<'a> {
    /// A cut of text that was poured through here, with our own cut marker in it.
    pub(crate) fn after_cut(cut: impl Into<Cow<'a, str>>) -> Self {
        Self(cut.into())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn into_inner(self) -> Cow<'a, str> {
        self.0
    }
}

/// Sanitises a whole text. Borrowed when nothing had to change.
pub(crate) fn text(text: &str) -> (Sanitised<'_>, Counts) {
    let mut changed = String::new();
    let (counts, _) = pour(text, &mut |slice| {
        // An unchanged text arrives as one slice, which need not be copied.
        if !std::ptr::eq(slice, text) {
            changed.push_str(slice);
        }
        ControlFlow::Continue(())
    });
    let unchanged = changed.is_empty() && (counts == Counts::default());
    (Sanitised(if unchanged { Cow::Borrowed(text) } else { Cow::Owned(changed) }), counts)
}

/// The one-line variant for names, titles and notices: line ends and tabs become spaces, and what is
/// longer than `max_chars` characters ends in `…`.
pub(crate) fn line(original: &str, max_chars: usize) -> String {
    let (clean, _) = text(original);
    let mut chars = clean.as_str().chars().map(|c| if matches!(c, '\n' | '\t') { ' ' } else { c });
    let mut line: String = chars.by_ref().take(max_chars).collect();
    if max_chars > 0 && chars.next().is_some() {
        line.pop();
        line.push('…');
    }
    line
}

/// Sanitises a text of any size without copying it: `push` gets slices of `text` and replacements, in
/// order, until it breaks.
pub(crate) fn pour(text: &str, push: &mut dyn FnMut(&str) -> ControlFlow<()>) -> (Counts, ControlFlow<()>) {
    let mut pour = Pour::new(text, push);
    let flow = pour.run();
    (pour.counts, flow)
}

/// The same behind other text, which left the filter in this state; gives the state behind `text`. A part of a text
/// is never taken for JSON.
fn pour_on(
    filter: Filter,
    text: &str,
    push: &mut dyn FnMut(&str) -> ControlFlow<()>,
) -> (Counts, Filter, ControlFlow<()>) {
    let mut pour = Pour { filter, json: Some(false), ..Pour::new(text, push) };
    let flow = pour.run();
    (pour.counts, pour.filter, flow)
}

/// Whether the text is JSON, or JSON values one after the other.
fn is_json(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    text.trim_start().starts_with(['{', '[', '"']) && json::is_sequence(text)
}

struct Pour<'t, 'p> {
    text: &'t str,
    push: &'p mut dyn FnMut(&str) -> ControlFlow<()>,
    counts: Counts,
    /// Everything before it was pushed, replaced or removed.
    emitted: usize,
    /// Everything before it is decided; from `emitted` to here the text stays as it is.
    settled: usize,
    /// The filter's state at `settled`.
    filter: Filter,
    /// Whether the text is JSON, once somebody asked.
    json: Option<bool>,
}

impl<'t, 'p> Pour<'t, 'p> {
    fn new(text: &'t str, push: &'p mut dyn FnMut(&str) -> ControlFlow<()>) -> Self {
        Self { text, push, counts: Counts::default(), emitted: 0, settled: 0, filter: Filter::default(), json: None }
    }

    fn run(&mut self) -> ControlFlow<()> {
        let mut scout = scout::Scout::new(self.text);
        while let Some(anchor) = scout.next(self.settled, self.filter) {
            if let Some(from) = scout::restart(self.text, self.settled, anchor) {
                self.look(from, anchor)?;
            } else {
                self.stay(anchor);
                self.keep(anchor + 1)?;
            }
            // Control sequences come in rows, and no marker begins with one.
            while self.text.as_bytes().get(self.settled).is_some_and(u8::is_ascii_control) {
                self.keep(self.settled + 1)?;
            }
        }
        self.stay(self.text.len());
        self.emit(self.settled)
    }

    /// Decides everything from `from` to somewhere behind `anchor`.
    fn look(&mut self, from: usize, anchor: usize) -> ControlFlow<()> {
        self.stay(from);
        match seek::seek(self.text, from, self.filter, anchor) {
            Found::Nothing { until } => self.keep(until),
            Found::Match { start, end, plain } => {
                self.keep(start)?;
                self.emit(start)?;
                self.defuse(end);
                (self.push)(plain)?;
                self.filter = Filter::default().over(plain);
                ControlFlow::Continue(())
            }
        }
    }

    /// From `settled` to `until` the text stays as it is.
    fn stay(&mut self, until: usize) {
        self.filter = self.filter.over(&self.text[self.settled..until]);
        self.settled = until;
    }

    /// From `settled` to `until` the filter alone decides.
    fn keep(&mut self, until: usize) -> ControlFlow<()> {
        while self.settled < until {
            let at = self.settled;
            let (piece, len) = self.filter.step(&self.text[at..]);
            self.settled += len;
            if matches!(piece, Piece::Keep(_)) {
                continue;
            }
            self.emit(at)?;
            self.emitted = self.settled;
            match piece {
                Piece::LineEnd => {
                    let line_end = self.line_end(at);
                    (self.push)(line_end)?;
                }
                Piece::Drop => self.counts.removed += self.text[at..self.settled].chars().count(),
                Piece::Keep(_) | Piece::Skip => {}
            }
        }
        ControlFlow::Continue(())
    }

    /// What to write for the line end at `at`. Those beyond ASCII stand inside the strings of JSON text, if anywhere,
    /// where a line feed has to be escaped.
    fn line_end(&mut self, at: usize) -> &'static str {
        if self.text[at..].starts_with('\r') {
            return "\n";
        }
        let text = self.text;
        if *self.json.get_or_insert_with(|| is_json(text)) { "\\n" } else { "\n" }
    }

    /// From `settled` to `end` nothing is shown; what the filter would have kept counts as defused.
    fn defuse(&mut self, end: usize) {
        while self.settled < end {
            let at = self.settled;
            let (piece, len) = self.filter.step(&self.text[at..]);
            self.settled += len;
            let chars = self.text[at..self.settled].chars().count();
            match piece {
                Piece::Drop => self.counts.removed += chars,
                Piece::Keep(_) | Piece::LineEnd => self.counts.defused += chars,
                Piece::Skip => {}
            }
        }
        self.emitted = end;
    }

    fn emit(&mut self, until: usize) -> ControlFlow<()> {
        let slice = &self.text[self.emitted..until];
        self.emitted = until;
        if slice.is_empty() { ControlFlow::Continue(()) } else { (self.push)(slice) }
    }
}

#[cfg(test)]
mod tests;
