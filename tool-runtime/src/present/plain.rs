//! What most calls need, and all that a program of plain tools contains: a trusted text, whole, with our lines round it.
//!
//! It gives what the whole of presenting gives for the same job, which a test holds it to.

use std::{borrow::Cow, ops::ControlFlow};

use crate::{
    args::Message,
    contain::{self, Panicked},
    cut,
    json::{self, Fault, Walk},
    notice::Notice,
    outcome::{ModelText, Receipt, Status, ViewSource},
    output::ModelOutput,
    policy::{Keep, Policy, Trust, Yields},
    render::{self, Body, Reply},
    resolve::Facing,
    sanitise,
};

use super::{Job, MAX_QUOTED, NO_OUTPUT, Presented};

/// `None` where more is asked for than this.
pub(super) fn present(job: &Job) -> Option<Presented> {
    if !is_plain(job) {
        return None;
    }
    match &job.facing {
        Facing::Parts(_) => None,
        Facing::Message(message) => Some(of_message(job, message)),
        Facing::Own(text) => Some(of_own(job, text)),
        Facing::Error { title, body } => Some(of_text(job, body, ViewSource::Error, Some(title))),
        Facing::View(ModelOutput::Text(text), source) => Some(of_text(job, text, *source, None)),
        Facing::View(ModelOutput::Json(json), source) => Some(of_json(job, *source, &|walk| json::write(json, walk))),
        Facing::Full => Some(match job.output.as_text() {
            Some(text) => of_text(job, text, ViewSource::Full, None),
            None => of_json(job, ViewSource::Full, &|walk| job.output.write_json(walk)),
        }),
    }
}

/// Nothing to clean, to cut, to fence or to save.
fn is_plain(job: &Job) -> bool {
    let Policy { limit, tokens, trust, keep, yields, .. } = job.policy;
    limit.is_none()
        && tokens.is_none()
        && (trust, keep, yields) == (Trust::Trusted, Keep::OnCut, Yields::Results)
        && job.inner.redactors.is_empty()
        && job.output.as_stream().is_none()
        && job.notices.iter().all(|notice| notice.quoted.is_none())
}

/// The notices as one block.
fn notices(notices: &[Notice]) -> String {
    if notices.is_empty() {
        return String::new();
    }
    let line = |notice: &Notice| render::Line { text: sanitise::line(&notice.text, MAX_QUOTED), quoted: None };
    let lines: Vec<render::Line> = notices.iter().map(line).collect();
    render::notices(&lines)
}

fn of_message(job: &Job, message: &Message) -> Presented {
    let Message { head, problems, tail } = message;
    let text = [head, "\n", problems, "\n", tail, &notices(&job.notices)].concat();
    short(None, text, cut::count(head) + cut::count(problems) + cut::count(tail) + 2)
}

fn of_own(job: &Job, text: &str) -> Presented {
    short(None, [text, &notices(&job.notices)].concat(), cut::count(text))
}

/// Nothing of the result may be shown.
pub(super) fn withheld(job: &Job, why: &str) -> Presented {
    let text = format!("[Withheld: {} is not shown, {why}]", job.named());
    let shown = cut::count(&text);
    let notices = if is_plain(job) { notices(&job.notices) } else { String::new() };
    short(Some(Status::Withheld), text + &notices, shown)
}

fn unserialisable(job: &Job, message: &str, leak: bool) -> Presented {
    let title = format!("[Unserialisable: {} can't be turned into JSON]\n", job.named());
    // The message may quote the value, and stands on one line of ours.
    let message = sanitise::line(message, super::short::MAX_MESSAGE);
    let text = [&title, &*message, &notices(&job.notices)].concat();
    Presented { leak, ..short(Some(Status::Unserialisable), text, cut::count(&message)) }
}

/// A text that is never cut; `shown` are the characters of its body.
fn short(status: Option<Status>, text: String, shown: usize) -> Presented {
    let mut receipt = Receipt::new(ViewSource::Error);
    receipt.model_chars = cut::count(&text);
    (receipt.view_chars, receipt.shown_chars) = (shown, shown);
    Presented { status, ..Presented::new(ModelText::Own(text), None, receipt) }
}

/// A text in memory: where nothing is put round it, and it is what the call came to, it needs no copy.
fn of_text(job: &Job, text: &str, source: ViewSource, title: Option<&String>) -> Presented {
    let is_output_itself = matches!(source, ViewSource::Full | ViewSource::Error);
    let (chars, bare) = (cut::count(text), title.is_none() && job.notices.is_empty() && !text.is_empty());
    let shown = match bare {
        true if is_output_itself => ModelText::SameAsOutput,
        true => ModelText::Own(text.to_owned()),
        false => ModelText::Own(framed(title, text, &job.notices)),
    };
    finish(shown, source, chars)
}

/// JSON, written here.
fn of_json(job: &Job, source: ViewSource, write: &dyn Fn(&mut Walk<'_>) -> Result<(), Fault>) -> Presented {
    let mut text = String::new();
    let mut push = |piece: &str| {
        text.push_str(piece);
        ControlFlow::Continue(())
    };
    let mut walk = Walk { push: &mut push, edit: None, non_finite: 0 };
    // The value's own `Serialize` runs in here, and it may fail or panic.
    let written = contain::call(|| write(&mut walk));
    let non_finite = walk.non_finite;
    match written {
        Ok(Ok(())) => {}
        Ok(Err(fault)) => return unserialisable(job, &fault.to_string(), matches!(fault, Fault::TooDeep)),
        Err(Panicked(message)) => return unserialisable(job, &message, false),
    }
    let chars = cut::count(&text);
    let note = super::not_finite(non_finite);
    if note.is_none() && job.notices.is_empty() && !text.is_empty() {
        return finish(ModelText::Own(text), source, chars);
    }
    let mut told = Cow::Borrowed(&job.notices);
    if let Some(note) = &note {
        told.to_mut().push(Notice::new(note));
    }
    let mut presented = finish(ModelText::Own(framed(None, &text, &told)), source, chars);
    presented.shown.receipt.notes.extend(note);
    presented
}

/// The text with our lines round it.
fn framed(title: Option<&String>, text: &str, told: &[Notice]) -> String {
    let title = title.map(|title| format!("[{title}]"));
    let body = Body::Trusted(if text.is_empty() { NO_OUTPUT } else { text });
    Reply { headers: title.as_slice(), body, notices: &notices(told) }.text()
}

fn finish(text: ModelText, source: ViewSource, chars: usize) -> Presented {
    let mut receipt = Receipt::new(source);
    (receipt.view_chars, receipt.shown_chars) = (chars, chars);
    if !matches!(source, ViewSource::ModelOutput | ViewSource::Hook) {
        (receipt.full_chars, receipt.raw_chars) = (Some(chars), Some(chars));
    }
    receipt.model_chars = match &text {
        ModelText::Own(text) => cut::count(text),
        ModelText::SameAsOutput => chars,
    };
    Presented::new(text, None, receipt)
}
