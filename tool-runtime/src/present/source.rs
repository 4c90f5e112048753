//! The texts that are cut and saved: poured as often as needed, external ones cleaned on the way.

use std::{borrow::Cow, cell::Cell, ops::ControlFlow};

use serde_json::Value;

use crate::{
    contain,
    cut::{self, Ends, Style},
    json::{self, Edit, Fault, Push, Role, Walk},
    policy::{Snap, Trust},
    redact::Redactor,
    registry::Inner,
    sanitise::{self, Counts},
    stream::Streamed,
    truncate::Material,
    value::Output,
};

/// One text, before cleaning.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    Text(&'a str),
    /// Several texts, saved as one with a line break between each.
    Texts(&'a [&'a str]),
    /// Cleaned and written while it was made.
    Stream(&'a Streamed),
    /// JSON that was streamed, as it came.
    Document(&'a Streamed, &'a str),
    /// The value as JSON.
    Output(&'a Output),
    /// A JSON view.
    Value(&'a Value),
}

impl<'a> Source<'a> {
    /// The full result.
    pub(super) fn full(output: &'a Output) -> Self {
        match (output.as_text(), output.as_stream()) {
            (Some(text), _) => Self::Text(text),
            (None, Some(streamed)) => {
                streamed.document().map_or(Self::Stream(streamed), |text| Self::Document(streamed, text))
            }
            (None, None) => Self::Output(output),
        }
    }

    pub(super) fn is_json(self) -> bool {
        matches!(self, Self::Output(_) | Self::Value(_) | Self::Document(..))
    }
}

/// Makes a text fit to be shown: external text is sanitised, then every redactor runs. Counts what it does. After a
/// panic in here nothing of the text may be shown.
pub(super) struct Cleaner<'r> {
    external: bool,
    redactors: &'r [Box<dyn Redactor>],
    running: Cell<Tally>,
    /// Of the last pour that ran to its end.
    tally: Cell<Tally>,
    broken: Cell<bool>,
    /// The key whose value comes next.
    key: Cell<Option<String>>,
    #[cfg(test)]
    panics: bool,
}

/// What one pour met.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) counts: Counts,
    /// Characters that went in, minus characters that came out.
    pub(super) shrunk: isize,
    pub(super) non_finite: usize,
    renamed: usize,
}

impl<'r> Cleaner<'r> {
    pub(super) fn new(external: bool, redactors: &'r [Box<dyn Redactor>]) -> Self {
        Self {
            external,
            redactors,
            running: Cell::default(),
            tally: Cell::default(),
            broken: Cell::new(false),
            key: Cell::default(),
            #[cfg(test)]
            panics: false,
        }
    }

    /// Whether it panics, as a fault of its own would make it.
    #[cfg(test)]
    pub(super) fn faulty(self, panics: bool) -> Self {
        Self { panics, ..self }
    }

    pub(super) fn tally(&self) -> Tally {
        self.tally.get()
    }

    /// What was removed and defused so far, for texts that are cleaned one by one.
    pub(super) fn counts(&self) -> Counts {
        self.running.get().counts
    }

    /// Takes over what was done to a stream that was cleaned as everything here is.
    fn take_over(&self, streamed: &Streamed) -> bool {
        let trust = if self.external { Trust::External } else { Trust::Trusted };
        if !streamed.is_clean_for(trust, self.redactors) {
            return false;
        }
        let cleaned = &streamed.cleaned;
        self.begin();
        self.note(|tally| {
            let counts = Counts { removed: cleaned.removed, defused: cleaned.defused };
            tally.add(counts, difference(cleaned.raw_chars, streamed.chars()));
        });
        self.commit();
        self.broken.set(self.broken.get() || cleaned.is_broken);
        true
    }

    pub(super) fn is_broken(&self) -> bool {
        self.broken.get()
    }

    /// Whether there is anything to do.
    fn is_idle(&self) -> bool {
        !self.external && self.redactors.is_empty()
    }

    fn note(&self, note: impl FnOnce(&mut Tally)) {
        let mut tally = self.running.get();
        note(&mut tally);
        self.running.set(tally);
    }

    fn begin(&self) {
        self.running.set(Tally::default());
        self.key.set(None);
    }

    fn commit(&self) {
        self.tally.set(self.running.get());
    }

    /// Runs the steps; afterwards nothing may be shown if one of them panicked. So there is no second try: of a long
    /// list each text would panic again, and every panic is printed.
    fn guarded<T>(&self, steps: impl FnOnce() -> T) -> Option<T> {
        if self.is_broken() {
            return None;
        }
        let done = contain::call(|| {
            #[cfg(test)]
            assert!(!self.panics, "a fault injected by a test");
            steps()
        });
        if done.is_err() {
            self.broken.set(true);
        }
        done.ok()
    }

    /// A whole text. Without redactors it streams through; they want to see all of it.
    fn pour(&self, text: &str, push: Push<'_>) -> ControlFlow<()> {
        if self.redactors.is_empty() {
            let mut out = 0;
            let poured = self.guarded(|| {
                sanitise::pour(text, &mut |piece| {
                    out += cut::count(piece);
                    push(piece)
                })
            });
            let Some((counts, flow)) = poured else { return ControlFlow::Break(()) };
            self.note(|tally| tally.add(counts, difference(cut::count(text), out)));
            return flow;
        }
        match self.text(text) {
            Some(clean) => {
                self.note(|tally| tally.shrunk += difference(cut::count(text), cut::count(&clean)));
                push(&clean)
            }
            None => ControlFlow::Break(()),
        }
    }

    /// A whole text at once; `None` where it must not be shown.
    pub(super) fn text<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        self.redacted(text, <dyn Redactor>::redact)
    }

    fn redacted<'t>(
        &self,
        text: &'t str,
        redact: impl for<'s> Fn(&dyn Redactor, &'s str) -> Cow<'s, str>,
    ) -> Option<Cow<'t, str>> {
        self.guarded(|| {
            let sanitised = self.sanitised(text.into());
            let redacted = self.redactors.iter().fold(sanitised, |text, redactor| match text {
                Cow::Borrowed(text) => redact(&**redactor, text),
                Cow::Owned(text) => redact(&**redactor, &text).into_owned().into(),
            });
            match redacted {
                // What was taken out may have stood inside a disguised marker.
                Cow::Owned(_) => self.sanitised(redacted),
                Cow::Borrowed(_) => redacted,
            }
        })
    }

    /// The same on one line and of limited length.
    pub(super) fn line(&self, text: &str, max_chars: usize) -> Option<String> {
        // Notices are sanitised whoever they come from.
        Some(sanitise::line(&self.text(text)?, max_chars))
    }

    fn sanitised<'t>(&self, text: Cow<'t, str>) -> Cow<'t, str> {
        if !self.external {
            return text;
        }
        let (clean, counts) = match text {
            Cow::Borrowed(text) => {
                let (clean, counts) = sanitise::text(text);
                (clean.into_inner(), counts)
            }
            Cow::Owned(text) => {
                let (clean, counts) = sanitise::text(&text);
                (clean.into_inner().into_owned().into(), counts)
            }
        };
        self.note(|tally| tally.add(counts, 0));
        clean
    }

    /// One string of a JSON value. Strings come in the order in which they stand there, a key right before its value.
    fn string<'s>(&self, role: Role, text: &'s str) -> Cow<'s, str> {
        let is_key = matches!(role, Role::Key { .. });
        let key = self.key.take();
        let clean = match &key {
            Some(key) if !is_key => self.redacted(text, |redactor, text| redactor.redact_member(key, text)),
            _ => self.text(text),
        };
        if is_key && !self.redactors.is_empty() {
            self.key.set(Some(text.to_owned()));
        }
        match clean {
            None => Cow::Borrowed(""),
            // A redactor may give a copy of what it leaves alone.
            Some(clean) if clean == text && !(is_key && looks_renamed(text)) => Cow::Borrowed(text),
            Some(mut clean) => {
                if is_key {
                    // Two keys may be the same once cleaned, and a reader keeps only one of them. So each key that
                    // changes gets a number, and each that ends in one already.
                    self.note(|tally| tally.renamed += 1);
                    clean = format!("{clean}~{}", self.running.get().renamed).into();
                }
                self.note(|tally| tally.shrunk += difference(json_chars(text), json_chars(&clean)));
                clean
            }
        }
    }
}

/// `key~1`
fn looks_renamed(key: &str) -> bool {
    let start = key.trim_end_matches(|c: char| c.is_ascii_digit());
    start.len() < key.len() && start.ends_with('~')
}

impl Tally {
    fn add(&mut self, counts: Counts, shrunk: isize) {
        self.counts.removed += counts.removed;
        self.counts.defused += counts.defused;
        self.shrunk += shrunk;
    }
}

#[expect(clippy::cast_possible_wrap, reason = "no text has more than isize::MAX characters")]
fn difference(before: usize, after: usize) -> isize {
    before as isize - after as isize
}

/// Characters of a string once it is escaped.
fn json_chars(text: &str) -> usize {
    Value::from(text).to_string().chars().count()
}

/// Hands the source over as a material that can be poured again and again.
pub(super) fn with_material<R>(
    source: Source<'_>,
    cleaner: &Cleaner<'_>,
    use_it: impl FnOnce(&Material<'_>) -> R,
) -> R {
    let write = |push: Push<'_>, edit: Option<Edit<'_>>| -> Result<(), Fault> {
        cleaner.begin();
        let result = match source {
            Source::Text(text) => pour(text, cleaner, push),
            Source::Texts(texts) => texts.iter().enumerate().try_for_each(|(index, text)| {
                if index > 0 && push("\n").is_break() {
                    return Err(Fault::Stopped);
                }
                pour(text, cleaner, push)
            }),
            Source::Stream(streamed) => pour(&streamed.shown(), cleaner, push),
            Source::Output(output) => walk(push, edit, cleaner, |walk| output.write_json(walk)),
            Source::Document(_, text) => walk(push, edit, cleaner, |walk| rewrite(text, walk)),
            Source::Value(value) => walk(push, edit, cleaner, |walk| json::write(value, walk)),
        };
        if cleaner.is_broken() {
            return Err(Fault::Stopped);
        }
        if result.is_ok() {
            cleaner.commit();
        }
        result
    };
    match source {
        // In memory already, and nothing changes it: the one case that costs no copy.
        Source::Text(text) if cleaner.is_idle() => use_it(&Material::Whole(text)),
        Source::Stream(streamed) if cleaner.take_over(streamed) => use_it(&Material::Seen(&streamed.ends)),
        Source::Text(_) | Source::Texts(_) | Source::Stream(_) => use_it(&Material::Text(&|push| write(push, None))),
        Source::Output(_) | Source::Value(_) | Source::Document(..) => use_it(&Material::Json(&write)),
    }
}

/// Content for a trace: redacted, JSON by its strings, at most `max_chars` characters.
pub(super) fn traced(inner: &Inner, content: &str, max_chars: usize) -> String {
    let cleaner = Cleaner::new(false, &inner.redactors);
    redacted(content, &cleaner).map_or_else(|| "(withheld)".to_owned(), |clean| traced_clean(&clean, max_chars))
}

/// The same for what is clean already.
pub(super) fn traced_clean(clean: &str, max_chars: usize) -> String {
    let chars = cut::count(clean);
    let style = Style { ends: Ends::HeadTail, snap: Snap::Chars };
    if chars > max_chars { cut::cut(clean, chars, max_chars, style) } else { clean.to_owned() }
}

/// A text, or the strings of a JSON text, cleaned; `None` where it must not be shown.
fn redacted(content: &str, cleaner: &Cleaner<'_>) -> Option<String> {
    cleaner.begin();
    let Ok(json) = serde_json::from_str::<Value>(content) else { return cleaner.text(content).map(Cow::into_owned) };
    let mut text = String::new();
    let mut push = |piece: &str| {
        text.push_str(piece);
        ControlFlow::Continue(())
    };
    let written = walk(&mut push, None, cleaner, |walk| json::write(&json, walk));
    (written.is_ok() && !cleaner.is_broken()).then_some(text)
}

fn pour(text: &str, cleaner: &Cleaner<'_>, push: Push<'_>) -> Result<(), Fault> {
    let flow = if cleaner.is_idle() { push(text) } else { cleaner.pour(text, push) };
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Fault::Stopped),
    }
}

/// Writes JSON with each string cleaned first and edited then.
fn walk(
    push: Push<'_>,
    edit: Option<Edit<'_>>,
    cleaner: &Cleaner<'_>,
    write: impl FnOnce(&mut Walk<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    // Each in a variable of its own: what `Walk` borrows has to outlive it.
    let (mut plain, mut clean, mut both);
    let edit: Option<Edit<'_>> = match (!cleaner.is_idle(), edit) {
        (false, None) => None,
        (false, Some(edit)) => {
            plain = for_every_lifetime(|role, text| edit(role, text));
            Some(&mut plain)
        }
        (true, None) => {
            clean = for_every_lifetime(|role, text| cleaner.string(role, text));
            Some(&mut clean)
        }
        (true, Some(edit)) => {
            both = for_every_lifetime(|role, text| match cleaner.string(role, text) {
                Cow::Borrowed(text) => edit(role, text),
                Cow::Owned(text) => edit(role, &text).into_owned().into(),
            });
            Some(&mut both)
        }
    };
    let mut walk = Walk { push, edit, non_finite: 0 };
    let result = write(&mut walk);
    let non_finite = walk.non_finite;
    cleaner.note(|tally| tally.non_finite += non_finite);
    result
}

/// Writes JSON that is text already.
fn rewrite(text: &str, walk: &mut Walk<'_>) -> Result<(), Fault> {
    match &mut walk.edit {
        Some(edit) => json::rewrite(text, walk.push, *edit),
        None => json::rewrite(text, walk.push, &mut for_every_lifetime(|_, text| Cow::Borrowed(text))),
    }
}

/// Tells the compiler what the closure takes; left alone it would settle on one lifetime.
fn for_every_lifetime<F>(edit: F) -> F
where
    F: for<'s> FnMut(Role, &'s str) -> Cow<'s, str>,
{
    edit
}
