//! Texts that are never cut: what was wrong with the arguments, and that there is nothing to show.

use crate::{
    args::Message,
    contain, cut,
    outcome::{ModelText, Receipt, Status, ViewSource},
    render::{Body, Reply},
    sanitise::Sanitised,
};

use super::{Job, Presented, model_tokens, notices};

/// Characters of what is wrong with a value.
pub(super) const MAX_MESSAGE: usize = 200;

/// What is wrong with the arguments: our words outside, the problems, which quote the arguments, inside the fence.
pub(super) fn message(job: &Job, message: &Message) -> Presented {
    let cleaner = job.cleaner();
    let Some(problems) = cleaner.text(&message.problems) else { return withheld(job, "it could not be cleaned") };
    let tail = format!("\n{}{}", message.tail, notices(job, &job.notices));
    let (text, fenced) = ours(job, std::slice::from_ref(&message.head), &problems, &tail);
    let shown = cut::count(&message.head) + cut::count(&problems) + cut::count(&message.tail) + 2;
    short(job, None, text, shown, fenced)
}

/// A text of ours, unfenced.
pub(super) fn own(job: &Job, text: &str) -> Presented {
    let Some(text) = job.cleaner().text(text) else { return withheld(job, "it could not be cleaned") };
    let shown = cut::count(&text);
    short(job, None, format!("{text}{}", notices(job, &job.notices)), shown, false)
}

/// A short clean body, fenced where the tool is external; `tail` comes after the fence.
fn ours(job: &Job, headers: &[String], body: &str, tail: &str) -> (String, bool) {
    let fenced = job.is_external().then(|| job.fence(0, Sanitised::after_cut(body)));
    let body = fenced.as_ref().map_or(Body::Trusted(body), Body::External);
    (Reply { headers, body, notices: tail }.text(), fenced.is_some())
}

/// Nothing of the result may be shown. The notices are, as far as they can be cleaned.
pub(super) fn withheld(job: &Job, why: &str) -> Presented {
    let text = format!("[Withheld: {} is not shown, {why}]", job.named());
    let shown = cut::count(&text);
    let notices = contain::call(|| notices(job, &job.notices)).unwrap_or_default();
    short(job, Some(Status::Withheld), text + &notices, shown, false)
}

pub(super) fn unserialisable(job: &Job, message: &str, leak: bool) -> Presented {
    // The message may quote the value, so it is treated like the value.
    let Some(clean) = job.cleaner().line(message, MAX_MESSAGE) else { return withheld(job, "it could not be cleaned") };
    let title = format!("[Unserialisable: {} can't be turned into JSON]", job.named());
    let (text, fenced) = ours(job, &[title], &clean, &notices(job, &job.notices));
    Presented { leak, ..short(job, Some(Status::Unserialisable), text, cut::count(&clean), fenced) }
}

/// A text that is never cut; `shown` are the characters of its body.
fn short(job: &Job, status: Option<Status>, text: String, shown: usize, fenced: bool) -> Presented {
    let mut receipt = Receipt::new(ViewSource::Error);
    receipt.model_tokens = model_tokens(job, &text);
    receipt.model_chars = cut::count(&text);
    (receipt.view_chars, receipt.shown_chars) = (shown, shown);
    receipt.fenced = fenced;
    Presented { status, ..Presented::new(ModelText::Own(text), None, receipt) }
}
