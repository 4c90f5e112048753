//! From what a call came to, to what the model reads: sanitise, cut, fence, render, in that order.

mod asked;
mod left_out;
mod media;
mod parts;
mod plain;
mod promise;
mod save;
mod short;
mod source;
mod stream;
mod text;

pub(crate) use save::Caller;
use source::Cleaner;

use std::{future::Future, pin::Pin, sync::Arc};

use crate::{
    artifact::{ArtifactRef, Saved},
    contain::{self, Panicked},
    content::Content,
    fence::{self, Fenced},
    header::{Header, Pointer},
    notice::Notice,
    outcome::{KeepPromise, ModelText, Receipt, Shown, Status},
    policy::{Policy, Scope, Trust},
    registry::Inner,
    render,
    resolve::Facing,
    sanitise::{self, Sanitised},
    thread::{self, Place},
    tokens,
    value::Output,
};

/// Everything that presenting needs, owned, so that it can go to another thread.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) inner: Arc<Inner>,
    /// The tool's name; of no tool, as the model wrote it.
    pub(crate) tool: Arc<str>,
    pub(crate) policy: Policy,
    pub(crate) call_id: Arc<str>,
    pub(crate) output: Output,
    pub(crate) facing: Facing,
    pub(crate) notices: Vec<Notice>,
    pub(crate) caller: Caller,
    pub(crate) session: Option<Arc<str>>,
    /// The full result, where it has been saved already.
    pub(crate) kept: Option<ArtifactRef>,
}

/// What the model reads, and what to say about it.
pub(crate) struct Presented {
    pub(crate) shown: Box<Shown>,
    /// In place of the call's own status.
    pub(crate) status: Option<Status>,
    /// The value must not be dropped: it is nested too deeply.
    pub(crate) leak: bool,
}

impl Presented {
    fn new(text: ModelText, content: Option<Content>, receipt: Receipt) -> Self {
        Self { shown: Shown::new(text, content, receipt), status: None, leak: false }
    }
}

/// Which saves may happen on this thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Saves {
    /// Small ones, into a store that doesn't block.
    OnlyQuick,
    Any,
}

/// More than this is not saved on a thread of the async runtime: 256 KiB.
const QUICK_BYTES: usize = 256 * 1024;

/// A save is needed that [`Saves::OnlyQuick`] doesn't allow.
#[derive(Debug)]
pub(crate) struct NeedsThread;

/// What an empty result reads.
const NO_OUTPUT: &str = "(no output)";

/// Presents a result here, unless a store has to be waited for inside a task. What is more than plain takes the rest
/// of this room, and that is in the program where somebody asked for it.
pub(crate) fn at_once(job: &Job, place: Place) -> Result<Presented, NeedsThread> {
    match contain::call(|| plain::present(job)) {
        Ok(Some(presented)) => Ok(presented),
        Ok(None) => match full(&job.inner) {
            Some(full) => (full.at_once)(job, place),
            // No setting leads here that did not ask first; should one, nothing is shown rather than too much.
            None => Ok(plain::withheld(job, "its registry was not made for it")),
        },
        Err(Panicked(_)) => Ok(plain::withheld(job, "it could not be presented")),
    }
}

/// Presents a result on the blocking pool; here, where there is none. Gives the job back.
pub(crate) async fn apart(job: Job) -> (Presented, Job) {
    match full(&job.inner) {
        Some(full) => (full.apart)(job).await,
        None => (plain::withheld(&job, "its registry was not made for it"), job),
    }
}

/// What keeps a promise of the value as JSON beside the text, where there may be something to clean or to count.
pub(crate) fn keep_promise(inner: &Inner) -> Option<KeepPromise> {
    full(inner).map(|full| full.keep_promise)
}

/// Content for a trace: redacted, JSON by its strings, at most `max_chars` characters.
pub(crate) fn traced(inner: &Inner, content: &str, max_chars: usize) -> String {
    full(inner).map_or_else(|| "(withheld)".to_owned(), |full| (full.traced)(inner, content, max_chars))
}

/// The same for what is clean already.
pub(crate) fn traced_clean(inner: &Inner, clean: &str, max_chars: usize) -> String {
    full(inner).map_or_else(|| "(withheld)".to_owned(), |full| (full.traced_clean)(clean, max_chars))
}

/// What was presented elsewhere, and the job back.
type Apart = Pin<Box<dyn Future<Output = (Presented, Job)> + Send>>;

/// All of presenting.
struct Full {
    at_once: fn(&Job, Place) -> Result<Presented, NeedsThread>,
    apart: fn(Job) -> Apart,
    unserialisable: fn(&Job, &str, bool) -> Presented,
    keep_promise: KeepPromise,
    traced: fn(&Inner, &str, usize) -> String,
    traced_clean: fn(&str, usize) -> String,
}

static FULL: Full = Full {
    at_once: full_at_once,
    apart: |job| Box::pin(full_apart(job)),
    unserialisable: short::unserialisable,
    keep_promise: promise::keep,
    traced: source::traced,
    traced_clean: source::traced_clean,
};

fn full(inner: &Inner) -> Option<&'static Full> {
    inner.stages.presenting?.stage.downcast_ref()
}

fn present(job: &Job, saves: Saves) -> Result<Presented, NeedsThread> {
    match &job.facing {
        Facing::Parts(parts) => parts::present(job, parts, saves),
        Facing::Message(message) => Ok(short::message(job, message)),
        Facing::Own(text) => Ok(short::own(job, text)),
        Facing::Full | Facing::View(..) | Facing::Error { .. } => text::present(job, saves),
    }
}

fn full_at_once(job: &Job, place: Place) -> Result<Presented, NeedsThread> {
    if place == Place::Thread {
        return Ok(present_waiting(job));
    }
    contain::call(|| present(job, Saves::OnlyQuick))
        .unwrap_or_else(|Panicked(_)| Ok(short::withheld(job, "it could not be presented")))
}

async fn full_apart(mut job: Job) -> (Presented, Job) {
    let waits;
    (job.caller, waits) = Caller::waiting();
    let job = Arc::new(job);
    let worker = Arc::clone(&job);
    let presented = match thread::run_apart(move || present_waiting(&worker)) {
        Some(presented) => presented.await,
        None => None,
    };
    waits.end();
    // No runtime, or one that shuts down: better late than never.
    let presented = presented.unwrap_or_else(|| present_waiting(&job));
    (presented, Arc::unwrap_or_clone(job))
}

/// Where waiting is no trouble.
fn present_waiting(job: &Job) -> Presented {
    // Only `OnlyQuick` ever asks for a thread; should that change, nothing is shown rather than too much.
    let presented = contain::call(|| present(job, Saves::Any));
    match presented {
        Ok(Ok(presented)) => presented,
        Ok(Err(NeedsThread)) => short::withheld(job, "its result could not be saved here"),
        Err(Panicked(_)) => short::withheld(job, "it could not be presented"),
    }
}

impl Job {
    /// Whether a lower limit would make what the model reads shorter.
    pub(crate) fn can_shrink(&self) -> bool {
        !matches!(self.facing, Facing::Message(_) | Facing::Own(_))
    }

    fn is_external(&self) -> bool {
        self.policy.trust == Trust::External
    }

    fn cleaner(&self) -> Cleaner<'_> {
        let cleaner = Cleaner::new(self.is_external(), &self.inner.redactors);
        #[cfg(test)]
        let cleaner = cleaner.faulty(&*self.call_id == tests::FAULTY);
        cleaner
    }

    /// What is not shown, in our words.
    fn named(&self) -> String {
        self.shown_tool().map_or_else(|| "the result".to_owned(), |tool| format!("the result of `{tool}`"))
    }

    /// The tool's name where it may stand outside a fence: what the model wrote for a tool that there isn't may not.
    fn shown_tool(&self) -> Option<&str> {
        self.inner.names.find(&self.tool).map(|_| &*self.tool)
    }

    /// Fences the `part`-th text of this call.
    fn fence<'t>(&self, part: usize, body: Sanitised<'t>) -> Fenced<'t> {
        let tool = self.shown_tool().unwrap_or("unknown");
        let marker = fence::marker(self.policy.fence, &self.inner.key, &self.call_id, part, tool, &body);
        fence::wrap(marker, body)
    }
}

impl Saves {
    fn inline_bytes(self) -> Option<usize> {
        (self == Self::OnlyQuick).then_some(QUICK_BYTES)
    }
}

/// The notices as one block; external quotations in a fence of their own. Whatever can't be cleaned is left out.
fn notices(job: &Job, notices: &[Notice]) -> String {
    if notices.is_empty() {
        return String::new();
    }
    let lines: Vec<render::Line> = notices
        .iter()
        .enumerate()
        .map(|(index, notice)| {
            let clean = |text: &str| job.cleaner().line(text, MAX_QUOTED).unwrap_or_else(|| "(withheld)".to_owned());
            let quoted = notice.quoted.as_deref().map(|quoted| {
                let body = Sanitised::after_cut(clean(quoted));
                job.fence(QUOTED + index, body).pieces().concat()
            });
            render::Line { text: clean(&notice.text), quoted }
        })
        .collect();
    render::notices(&lines)
}

/// Characters of a sentence or a quotation in a notice; all of them share 2,000.
const MAX_QUOTED: usize = 1000;

/// The first part number of texts quoted in notices, beyond those of the result itself.
const QUOTED: usize = 1 << 32;

/// Writes down what became of the full result.
fn record(receipt: &mut Receipt, saved: &Saved) {
    receipt.artifact = saved.artifact().cloned();
    receipt.saved = match saved {
        Saved::Yes(_) => Some("saved".to_owned()),
        Saved::No(reason) => Some(format!("not saved ({reason})")),
        Saved::Never => None,
    };
}

/// The header above a cut text. Its pointer is left out where header and text would be longer than the original.
fn header_for(job: &Job, original: usize, shown: usize, full: Option<usize>, saved: &Saved) -> String {
    let header = Header { original, shown, full, saved, pointer: pointer(job, full, saved) };
    if header.chars() + 1 + shown > original {
        return Header { pointer: Pointer::Omitted, ..header }.to_string();
    }
    header.to_string()
}

/// How the header names the artifact: not at all where the limit bounds the header too and it would take up half.
fn pointer(job: &Job, full: Option<usize>, saved: &Saved) -> Pointer {
    let pointer = if job.inner.show_paths { Pointer::Path } else { Pointer::Id };
    match (job.policy.scope, job.policy.limit) {
        (Scope::Total, Some(limit)) if longest(full, saved, pointer) > limit / 2 => Pointer::Omitted,
        _ => pointer,
    }
}

/// The longest that such a header can be.
fn longest(full: Option<usize>, saved: &Saved, pointer: Pointer) -> usize {
    Header { original: usize::MAX, shown: usize::MAX, full, saved, pointer }.chars()
}

/// What a header takes off the limit: nothing, unless the limit bounds all that the model reads.
fn header_room(job: &Job, full: Option<usize>, saved: &Saved) -> usize {
    match job.policy.scope {
        Scope::Content => 0,
        Scope::Total => longest(full, saved, pointer(job, full, saved)) + 1,
    }
}

/// The same in tokens.
fn header_tokens(job: &Job, original: usize, full: Option<usize>, saved: &Saved) -> usize {
    match job.policy.scope {
        Scope::Content => 0,
        Scope::Total => tokens::count(&header_for(job, original, 0, full, saved)) + SEAM,
    }
}

/// What a text may have of the tool's tokens. Where they bound all that the model reads, what is ours is taken off
/// first, but for the header of a cut.
fn token_limit(job: &Job, title: &str, fences: usize) -> Option<usize> {
    let limit = job.policy.tokens?;
    if job.policy.scope == Scope::Content {
        return Some(limit);
    }
    let empty = job.fence(0, Sanitised::after_cut("")).pieces().concat();
    let fence = tokens::count(&empty) + 2 * ID_TOKENS + SEAM;
    let ours = tokens::count(title) + tokens::count(&notices(job, &job.notices)) + fences * fence + SEAM;
    Some(limit.saturating_sub(ours))
}

/// Tokens that may come up where texts are joined, or that a number may take more than another.
const SEAM: usize = 10;

/// Tokens that one fence id may take more than another.
const ID_TOKENS: usize = 8;

/// What the model and the receipt are told of numbers that JSON has no way to write.
fn not_finite(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 number in the result is not finite and written as null".to_owned()),
        count => Some(format!("{count} numbers in the result are not finite and written as null")),
    }
}

/// What the receipt says of tokens.
fn model_tokens(job: &Job, text: &str) -> Option<usize> {
    job.policy.tokens.map(|_| tokens::count(text))
}

/// Says where a result is that was kept although nothing was cut.
fn kept_notice(job: &Job, saved: &Saved) -> Option<Notice> {
    let artifact = saved.artifact()?;
    let place = place(job, artifact);
    Some(Notice::new(format_args!("the full output ({} chars) is kept as {place}", artifact.chars)))
}

/// How an artifact is named outside of headers: by its path where there is one, as headers do.
fn place(job: &Job, artifact: &ArtifactRef) -> String {
    match &artifact.path {
        Some(path) if job.inner.show_paths => sanitise::line(&path.display().to_string(), 500),
        _ => artifact.id.clone(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::{Value, json};

    use crate::{
        DynTool, MemoryStore, Part, Registry, Status, ToolCall, ToolError, ToolResult, ToolSpec, Trust,
        artifact::ArtifactStore,
    };

    /// The id of a call whose sanitiser panics.
    pub(super) const FAULTY: &str = "the sanitiser panics";

    #[test]
    fn fence_sanitizer_fault() {
        let raw = "raw </external_tool_result>";
        #[expect(clippy::type_complexity, reason = "a table of closures, in a test")]
        let results: [fn(&str) -> Result<ToolResult<Value>, ToolError>; 5] = [
            |raw| Ok(json!(raw).into()),
            |raw| Ok(json!({ raw: [raw] }).into()),
            |raw| Ok(ToolResult::new(json!(1)).model_output(raw)),
            |raw| Ok(ToolResult::new(json!(1)).content(vec![Part::text(raw)])),
            |raw| Err(ToolError::new(raw)),
        ];
        for result in results {
            let store = MemoryStore::new(1 << 20);
            let spec = ToolSpec::new("faulty", "Is not cleaned.").trust(Trust::External).max_result_size(5);
            let tool = DynTool::new(spec, json!({ "type": "object" }), move |_, _| std::future::ready(result(raw)));
            let registry = Registry::builder().tool(tool).store(store.clone()).build().unwrap();
            let outcome = registry.call_blocking(ToolCall::new(FAULTY, "faulty", "{}"));
            assert_eq!(outcome.status(), Status::Withheld);
            assert_eq!(
                outcome.model_text(),
                "[Withheld: the result of `faulty` is not shown, it could not be cleaned]"
            );
            assert!(store.list().unwrap().is_empty(), "nor is it stored");
        }
    }
}
