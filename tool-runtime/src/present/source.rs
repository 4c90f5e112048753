//! The texts that are cut and saved: poured as often as needed, external ones cleaned on the way.

use std::{borrow::Cow, cell::Cell, ops::ControlFlow};

use serde_json::Value;

use crate::{
    contain, cut,
    json::{self, Edit, Fault, Push, Role, Walk},
    sanitise::{self, Counts},
    truncate::Material,
    value::Output,
};

/// One text, before cleaning.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    Text(&'a str),
    /// Several texts, saved as one with a line break between each.
    Texts(&'a [&'a str]),
    /// The value as JSON.
    Output(&'a Output),
    /// A JSON view.
    Value(&'a Value),
}

impl<'a> Source<'a> {
    /// The full result.
    pub(super) fn full(output: &'a Output) -> Self {
        output.as_text().map_or(Self::Output(output), Self::Text)
    }

    pub(super) fn is_json(self) -> bool {
        matches!(self, Self::Output(_) | Self::Value(_))
    }
}

/// Cleans external text, and counts. After a panic in here nothing of the text may be shown.
#[derive(Default)]
pub(super) struct Cleaner {
    running: Cell<Tally>,
    /// Of the last pour that ran to its end.
    tally: Cell<Tally>,
    broken: Cell<bool>,
    #[cfg(test)]
    pub(super) panics: bool,
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

impl Cleaner {
    pub(super) fn tally(&self) -> Tally {
        self.tally.get()
    }

    pub(super) fn is_broken(&self) -> bool {
        self.broken.get()
    }

    fn add(&self, counts: Counts, shrunk: isize) {
        let mut tally = self.running.get();
        tally.counts.removed += counts.removed;
        tally.counts.defused += counts.defused;
        tally.shrunk += shrunk;
        self.running.set(tally);
    }

    fn begin(&self) {
        self.running.set(Tally::default());
    }

    fn commit(&self) {
        self.tally.set(self.running.get());
    }

    /// A whole text.
    fn pour(&self, text: &str, push: Push<'_>) -> ControlFlow<()> {
        let mut out = 0;
        let poured = contain::call(|| {
            #[cfg(test)]
            assert!(!self.panics, "a fault injected by a test");
            sanitise::pour(text, &mut |piece| {
                out += cut::count(piece);
                push(piece)
            })
        });
        match poured {
            Ok((counts, flow)) => {
                self.add(counts, difference(cut::count(text), out));
                flow
            }
            Err(_) => {
                self.broken.set(true);
                ControlFlow::Break(())
            }
        }
    }

    /// One string of a JSON value.
    fn string<'s>(&self, role: Role, text: &'s str) -> Cow<'s, str> {
        let cleaned = contain::call(|| {
            #[cfg(test)]
            assert!(!self.panics, "a fault injected by a test");
            sanitise::text(text)
        });
        let Ok((cleaned, counts)) = cleaned else {
            self.broken.set(true);
            return Cow::Borrowed("");
        };
        let mut cleaned = cleaned.into_inner();
        if counts != Counts::default() || matches!(cleaned, Cow::Owned(_)) {
            if matches!(role, Role::Key { .. }) {
                // Two keys may be the same once cleaned, and a reader keeps only one of them.
                let mut tally = self.running.get();
                tally.renamed += 1;
                self.running.set(tally);
                cleaned = format!("{cleaned}~{}", tally.renamed).into();
            }
            self.add(counts, difference(json_chars(text), json_chars(&cleaned)));
        }
        cleaned
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
    external: bool,
    cleaner: &Cleaner,
    use_it: impl FnOnce(&Material<'_>) -> R,
) -> R {
    let write = |push: Push<'_>, edit: Option<Edit<'_>>| -> Result<(), Fault> {
        cleaner.begin();
        let result = match source {
            Source::Text(text) => pour(text, external, cleaner, push),
            Source::Texts(texts) => texts.iter().enumerate().try_for_each(|(index, text)| {
                if index > 0 && push("\n").is_break() {
                    return Err(Fault::Stopped);
                }
                pour(text, external, cleaner, push)
            }),
            Source::Output(output) => walk(push, edit, external, cleaner, |walk| output.write_json(walk)),
            Source::Value(value) => walk(push, edit, external, cleaner, |walk| json::write(value, walk)),
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
        Source::Text(text) if !external => use_it(&Material::Whole(text)),
        Source::Text(_) | Source::Texts(_) => use_it(&Material::Text(&|push| write(push, None))),
        Source::Output(_) | Source::Value(_) => use_it(&Material::Json(&write)),
    }
}

fn pour(text: &str, external: bool, cleaner: &Cleaner, push: Push<'_>) -> Result<(), Fault> {
    let flow = if external { cleaner.pour(text, push) } else { push(text) };
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Fault::Stopped),
    }
}

/// Writes JSON with each string cleaned first and edited then.
fn walk(
    push: Push<'_>,
    edit: Option<Edit<'_>>,
    external: bool,
    cleaner: &Cleaner,
    write: impl FnOnce(&mut Walk<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    // Each in a variable of its own: what `Walk` borrows has to outlive it.
    let (mut plain, mut clean, mut both);
    let edit: Option<Edit<'_>> = match (external, edit) {
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
    let mut tally = cleaner.running.get();
    tally.non_finite += walk.non_finite;
    cleaner.running.set(tally);
    result
}

/// Tells the compiler what the closure takes; left alone it would settle on one lifetime.
fn for_every_lifetime<F>(edit: F) -> F
where
    F: for<'s> FnMut(Role, &'s str) -> Cow<'s, str>,
{
    edit
}
