//! Text to members: size, scan, what can be unwrapped, what only repeats, and what the keys mean.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    DEEPEST, Job, MAX_GOT, Told,
    edit::{self, Edit},
    keys,
    members::Members,
    repair_text,
    scan::{self, Fault, Found, RESERVED},
    shown::preview,
    tree::Node,
};
use crate::{
    error::{Problem, ProblemKind},
    policy::Coercion,
};

type Text<'t> = Result<(Cow<'t, str>, Vec<Problem>), Vec<Problem>>;

impl Job<'_> {
    pub(super) fn is_in_size(&self, text: &str) -> Result<(), Vec<Problem>> {
        let most = self.limits.bytes.min(u32::MAX as usize - 1);
        if text.len() <= most {
            return Ok(());
        }
        let expected = format!("at most {most} bytes");
        Err(vec![whole(ProblemKind::ArgumentsTooLarge, expected, format!("{} bytes", text.len()))])
    }

    /// Models leave the arguments out where there are none to give.
    pub(super) fn or_empty<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let trimmed = text.trim_matches([' ', '\n', '\t', '\r']);
        let is_nothing = match self.limits.coercion {
            Coercion::Lossless => trimmed.is_empty() || trimmed == "null",
            Coercion::Strict => {
                text.is_empty() && self.schema.get("required").and_then(Value::as_array).is_none_or(Vec::is_empty)
            }
        };
        Cow::Borrowed(if is_nothing { "{}" } else { text })
    }

    /// Scans the text; with it come the keys that stand twice.
    pub(super) fn read<'t>(&self, text: Cow<'t, str>, members: &mut Members, told: &mut Told) -> Text<'t> {
        let depth = self.depth();
        let fault = match scan::scan(&text, depth, members) {
            Ok(found) => return self.without_repeats(text, found, members),
            Err(fault) => fault,
        };
        if self.limits.coercion == Coercion::Strict {
            return Err(vec![refusal(&text, fault, depth)]);
        }
        match repair_text::text(&text, fault, depth) {
            Ok((repaired, notes)) => {
                told.notes.extend(notes);
                self.rescan(repaired, members)
            }
            Err(fault) => Err(vec![refusal(&text, fault, depth)]),
        }
    }

    /// Scans text of our own making.
    pub(super) fn rescan<'t>(&self, text: String, members: &mut Members) -> Text<'t> {
        match scan::scan(&text, self.depth(), members) {
            Ok(found) => self.without_repeats(Cow::Owned(text), found, members),
            Err(fault) => Err(vec![refusal(&text, fault, self.depth())]),
        }
    }

    /// Drops members that only repeat what was said before: types refuse a key that stands twice.
    fn without_repeats<'t>(&self, text: Cow<'t, str>, found: Found, members: &mut Members) -> Text<'t> {
        let problems = found.duplicates.into_iter().map(keys::duplicate).collect();
        if found.repeated.is_empty() {
            return Ok((text, problems));
        }
        let edits = found.repeated.into_iter().map(|span| Edit { span, text: String::new() }).collect();
        let text = edit::apply(&text, edits);
        match scan::scan(&text, self.depth(), members) {
            Ok(_) => Ok((Cow::Owned(text), problems)),
            Err(fault) => Err(vec![refusal(&text, fault, self.depth())]),
        }
    }

    /// Finds out which parameter each key means, and writes it so; `None` where every key is a parameter's own.
    pub(super) fn settle_keys<'t>(
        &self,
        text: Cow<'t, str>,
        members: &mut Members,
    ) -> Result<(Cow<'t, str>, Option<keys::Judged>), Vec<Problem>> {
        let found = members.as_slice();
        if keys::are_plain(&text, found, self.callable, self.schema) {
            return Ok((text, None));
        }
        let mut judged = keys::judge(&text, found, self.callable, self.schema, self.limits.coercion);
        let edits = std::mem::take(&mut judged.edits);
        if edits.is_empty() {
            return Ok((text, Some(judged)));
        }
        let (text, _) = self.rescan(edit::apply(&text, edits), members)?;
        Ok((text, Some(judged)))
    }

    fn depth(&self) -> usize {
        self.limits.depth.min(DEEPEST)
    }
}

pub(super) fn whole(kind: ProblemKind, expected: impl Into<String>, got: impl Into<String>) -> Problem {
    Problem { path: String::new(), kind, expected: expected.into(), got: got.into() }
}

/// The problem of a call that no problem was found with.
#[cold]
pub(super) fn unexplained() -> Vec<Problem> {
    vec![whole(ProblemKind::OutOfBounds, "arguments that fit the schema", "others")]
}

pub(super) fn cut_off(got: &str) -> Problem {
    whole(ProblemKind::CutOff, "complete JSON object", got)
}

/// What the scan refused, in words.
fn refusal(text: &str, fault: Fault, depth: usize) -> Problem {
    match fault {
        Fault::CutOff if text.trim().is_empty() => whole(ProblemKind::InvalidJson, "JSON object", "no text"),
        Fault::CutOff => cut_off("unterminated JSON"),
        Fault::TooDeep => whole(ProblemKind::TooDeep, format!("at most {depth} levels of nesting"), "deeper nesting"),
        Fault::Reserved => whole(
            ProblemKind::InvalidJson,
            "JSON object",
            format!("a key that begins with `{RESERVED}`, which is reserved"),
        ),
        // Text that was meant to be something is told by how it begins.
        Fault::NotAnObject("string") => whole(ProblemKind::NotAnObject, "object", preview(&Node::parse(text), MAX_GOT)),
        Fault::NotAnObject(kind) => whole(ProblemKind::NotAnObject, "object", kind),
        Fault::Invalid { at, expected } => {
            let (mut line, mut column) = (1, 1);
            for character in text.get(..at).unwrap_or(text).chars() {
                (line, column) = if character == '\n' { (line + 1, 1) } else { (line, column + 1) };
            }
            let got = format!("unparsable text (line {line}, column {column}: expected {expected})");
            whole(ProblemKind::InvalidJson, "JSON object", got)
        }
    }
}
