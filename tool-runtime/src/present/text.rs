//! One text: the full result, a view, or an error.

use std::borrow::Cow;

use crate::{
    artifact::Saved,
    contain::{self, Panicked},
    cut, fence,
    json::Fault,
    notice::Notice,
    outcome::{ModelText, Receipt, ViewSource},
    output::ModelOutput,
    policy::{Keep, Policy, Scope},
    render::{Body, Reply},
    resolve::Facing,
    sanitise::Sanitised,
    tokens,
    truncate::{self, Bounds, Fitted, Opened, Saving, Unfit},
};

use super::{
    Job, NO_OUTPUT, NeedsThread, Presented, Saves, header_for, header_room, header_tokens, kept_notice, model_tokens,
    not_finite, notices, record, short,
    source::{Cleaner, Source, Tally, with_material},
    stream, token_limit,
};

pub(super) fn present(job: &Job, saves: Saves) -> Result<Presented, NeedsThread> {
    let draft = Draft::new(job);
    let cut = match draft.cut(saves) {
        Ok(cut) => cut,
        Err(Stop::NeedsThread) => return Err(NeedsThread),
        Err(Stop::Withheld) => return Ok(short::withheld(job, "it could not be cleaned")),
        Err(Stop::Unserialisable { message, leak }) => return Ok(short::unserialisable(job, &message, leak)),
    };
    Ok(cut.render())
}

/// Why there is no draft.
enum Stop {
    NeedsThread,
    Withheld,
    Unserialisable { message: String, leak: bool },
}

/// A text on its way.
struct Draft<'a> {
    job: &'a Job,
    source: Source<'a>,
    view_source: ViewSource,
    /// Our lines before everything else.
    title: Option<String>,
    fenced: bool,
    cleaner: Cleaner<'a>,
}

/// A text that fits.
struct Cut<'a> {
    draft: &'a Draft<'a>,
    fitted: Fitted,
    /// The full result, where the text is only a view of it and the full result was looked at.
    kept: Option<Kept>,
    saved: Saved,
}

/// A full result that was saved apart from what is shown, or that no store took.
struct Kept {
    saved: Saved,
    chars: usize,
    raw_chars: usize,
    non_finite: usize,
}

impl<'a> Draft<'a> {
    fn new(job: &'a Job) -> Self {
        let (source, view_source, title) = match &job.facing {
            Facing::View(ModelOutput::Text(text), view_source) => (Source::Text(text), *view_source, None),
            Facing::View(ModelOutput::Json(json), view_source) => (Source::Value(json), *view_source, None),
            Facing::Error { title, body } => (Source::Text(body), ViewSource::Error, Some(format!("[{title}]"))),
            Facing::Full | Facing::Parts(_) | Facing::Message(_) | Facing::Own(_) => {
                let title = job.output.as_excerpt().and_then(|excerpt| excerpt.title.as_deref());
                (Source::full(&job.output), ViewSource::Full, title.map(|title| format!("[{title}]")))
            }
        };
        let title = title.or_else(|| stream::title(job));
        // By type alone: a short text is fenced like a long one.
        let fenced = job.is_external() && (!matches!(job.facing, Facing::Full) || job.output.carries_text());
        Self { job, source, view_source, title, fenced, cleaner: job.cleaner() }
    }

    fn is_view(&self) -> bool {
        matches!(self.view_source, ViewSource::ModelOutput | ViewSource::Hook)
    }

    fn cut(&'a self, saves: Saves) -> Result<Cut<'a>, Stop> {
        let job = self.job;
        let policy = job.policy;
        let limit = self.limit();
        let tokens = token_limit(self.job, self.title.as_deref().unwrap_or_default(), usize::from(self.fenced));
        // A view is not worth keeping, what it stands for is. And where the header counts, what it says has to be
        // known before the text is cut.
        let save_while_cutting = !self.is_view() && policy.scope == Scope::Content;
        let fitted = self.fit(limit, tokens, save_while_cutting, saves)?;
        let mut cut = Cut { saved: fitted.saved.clone(), kept: None, fitted, draft: self };
        let is_error = cut.draft.view_source == ViewSource::Error;
        let save_apart = cut.fitted.truncated && !save_while_cutting;
        // What was streamed is nowhere else.
        let keep = policy.keep == Keep::Always || stream::is_written(job);
        let is_empty = cut.fitted.original == 0 && !cut.draft.is_view();
        if save_apart || (keep && !is_error && !is_empty && cut.saved == Saved::Never) {
            cut.save(saves)?;
        }
        if policy.scope == Scope::Total {
            cut.make_room(limit, tokens, saves)?;
        }
        Ok(cut)
    }

    /// What the text may have; with `Scope::Total` all that is ours is taken off first, but for the header of a cut.
    fn limit(&self) -> Option<usize> {
        let policy = self.job.policy;
        let limit = policy.limit?;
        if policy.scope == Scope::Content {
            return Some(limit);
        }
        let fence = if self.fenced { fence::overhead_chars(policy.fence, &self.job.tool) } else { 0 };
        let title = self.title.as_ref().map_or(0, |title| cut::count(title) + 1);
        let notices = cut::count(&notices(self.job, &self.job.notices));
        Some(limit.saturating_sub(fence + title + notices))
    }

    fn fit(&self, limit: Option<usize>, tokens: Option<usize>, save: bool, saves: Saves) -> Result<Fitted, Stop> {
        let Policy { strategy, field_limit, snap, .. } = self.job.policy;
        let bounds = Bounds { limit, tokens, strategy, field_limit, snap, may_point: !self.job.is_external() };
        let mut open = || if save { self.source.open(self.job, saves) } else { Opened::NoStore };
        let mut saving = Saving { open: &mut open, inline_bytes: saves.inline_bytes() };
        guarded(&self.cleaner, || {
            with_material(self.source, &self.cleaner, |material| truncate::fit(material, &bounds, &mut saving))
        })
    }

    fn save_full(&self, saves: Saves) -> Result<Kept, Stop> {
        // Of an error nothing but its text: a hook may have blocked the value for good.
        let full = if self.view_source == ViewSource::Error { self.source } else { Source::full(&self.job.output) };
        let mut open = || full.open(self.job, saves);
        let mut saving = Saving { open: &mut open, inline_bytes: saves.inline_bytes() };
        // Counted apart: the receipt's `removed` and `defused` are about what the model reads.
        let cleaner = self.job.cleaner();
        let saved =
            guarded(&cleaner, || with_material(full, &cleaner, |material| truncate::save(material, &mut saving)))?;
        let Tally { shrunk, non_finite, .. } = cleaner.tally();
        let (saved, chars) = saved;
        Ok(Kept { saved, chars, raw_chars: chars.saturating_add_signed(shrunk), non_finite })
    }
}

/// The value's own `Serialize` runs in here, and it may fail or panic.
fn guarded<R>(cleaner: &Cleaner<'_>, work: impl FnOnce() -> Result<R, Unfit>) -> Result<R, Stop> {
    let result = contain::call(work);
    if cleaner.is_broken() {
        return Err(Stop::Withheld);
    }
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(Unfit::NeedsThread)) => Err(Stop::NeedsThread),
        Ok(Err(Unfit::Fault(fault))) => {
            let leak = matches!(fault, Fault::TooDeep);
            Err(Stop::Unserialisable { message: fault.to_string(), leak })
        }
        Err(Panicked(message)) => Err(Stop::Unserialisable { message, leak: false }),
    }
}

impl Cut<'_> {
    fn full_chars(&self) -> Option<usize> {
        self.kept.as_ref().map(|kept| kept.chars)
    }

    fn save(&mut self, saves: Saves) -> Result<(), Stop> {
        let kept = self.draft.save_full(saves)?;
        self.saved = kept.saved.clone();
        self.kept = self.draft.is_view().then_some(kept);
        Ok(())
    }

    fn non_finite(&self) -> usize {
        self.draft.cleaner.tally().non_finite + self.kept.as_ref().map_or(0, |kept| kept.non_finite)
    }

    /// The notices that came before, and those about what the text turned out to be.
    fn told(&self) -> Vec<Notice> {
        let job = self.draft.job;
        let mut told = job.notices.clone();
        if let Some(text) = not_finite(self.non_finite()) {
            told.push(Notice::new(text));
        }
        if let (false, Some(notice)) = (self.fitted.truncated, kept_notice(job, &self.saved)) {
            told.push(notice);
        }
        told
    }

    /// Where the limit bounds everything, takes off it what is known only now: the header of a cut, and notices. For
    /// them a text may have to be cut that would be within its limit alone.
    fn make_room(&mut self, limit: Option<usize>, tokens: Option<usize>, saves: Saves) -> Result<(), Stop> {
        let job = self.draft.job;
        let was_cut = self.fitted.truncated;
        let original = self.fitted.original;
        let late = |told: &[Notice], count: fn(&str) -> usize| {
            count(&notices(job, told)).saturating_sub(count(&notices(job, &job.notices)))
        };
        if !was_cut {
            let told = self.told();
            let exceeds = limit.is_some_and(|limit| original + late(&told, cut::count) > limit)
                || tokens.is_some_and(|tokens| self.tokens() + late(&told, tokens::count) > tokens);
            if !exceeds || original == 0 {
                return Ok(());
            }
            if self.saved == Saved::Never {
                self.save(saves)?;
            }
        }
        self.fitted.truncated = true;
        let (told, full_chars) = (self.told(), self.full_chars());
        let room = limit
            .map(|limit| limit.saturating_sub(header_room(job, full_chars, &self.saved) + late(&told, cut::count)));
        let room = if was_cut { room } else { Some(room.unwrap_or(usize::MAX).min(original - 1)) };
        let header = || header_tokens(job, original, full_chars, &self.saved) + late(&told, tokens::count);
        let tokens = tokens.map(|tokens| tokens.saturating_sub(header()));
        self.fitted = self.draft.fit(room, tokens, false, saves)?;
        Ok(())
    }

    /// Of the text without anything of ours.
    fn tokens(&self) -> usize {
        match (&self.fitted.content, self.draft.source) {
            (Some(content), _) => tokens::count(content),
            (None, Source::Text(text)) => tokens::count(text),
            (None, _) => 0,
        }
    }

    fn render(self) -> Presented {
        let (full_chars, told, non_finite) = (self.full_chars(), self.told(), self.non_finite());
        let Self { draft, fitted, kept, saved } = self;
        let job = draft.job;
        let tally = draft.cleaner.tally();
        let mut receipt = Receipt::new(draft.view_source);
        record(&mut receipt, &saved);
        stream::record(&mut receipt, job);
        receipt.view_chars = fitted.original;
        receipt.shown_chars = fitted.shown;
        receipt.truncated = fitted.truncated;
        receipt.strategy = fitted.strategy;
        receipt.fenced = draft.fenced;
        receipt.removed = tally.counts.removed;
        receipt.defused = tally.counts.defused;
        if draft.is_view() {
            receipt.full_chars = full_chars;
            receipt.raw_chars = kept.as_ref().map(|kept| kept.raw_chars);
        } else {
            receipt.full_chars = Some(fitted.original);
            receipt.raw_chars = Some(fitted.original.saturating_add_signed(tally.shrunk));
        }

        let mut headers: Vec<String> = draft.title.iter().cloned().collect();
        if fitted.truncated && !fitted.points_itself {
            headers.push(header_for(job, fitted.original, fitted.shown, full_chars, &saved));
        }
        if let Some(note) = not_finite(non_finite) {
            receipt.notes.push(note);
        }
        let notices = notices(job, &told);

        let body = match (&fitted.content, draft.source) {
            _ if fitted.original == 0 => Cow::Borrowed(NO_OUTPUT),
            (Some(content), _) => Cow::Borrowed(content.as_str()),
            (None, Source::Text(text)) => Cow::Borrowed(text),
            // Only text in memory comes without content.
            (None, _) => Cow::Borrowed(""),
        };
        let fenced = draft.fenced.then(|| job.fence(0, Sanitised::after_cut(body.as_ref())));
        let reply = Reply {
            headers: &headers,
            body: fenced.as_ref().map_or(Body::Trusted(&body), Body::External),
            notices: &notices,
        };
        let is_output_itself = matches!(job.facing, Facing::Full | Facing::Error { .. });
        let text = match (reply.is_bare() && fitted.original > 0, fitted.content.is_some()) {
            (false, _) => ModelText::Own(reply.text()),
            (true, false) if is_output_itself => ModelText::SameAsOutput,
            (true, false) => ModelText::Own(body.into_owned()),
            // Nothing was put round it, so it needs no copy.
            (true, true) => ModelText::Own(fitted.content.unwrap_or_default()),
        };
        receipt.model_chars = match &text {
            ModelText::Own(text) => cut::count(text),
            ModelText::SameAsOutput => fitted.original,
        };
        receipt.model_tokens = match &text {
            ModelText::Own(text) => model_tokens(job, text),
            ModelText::SameAsOutput => model_tokens(job, job.output.as_text().unwrap_or_default()),
        };
        Presented::new(text, None, receipt)
    }
}
