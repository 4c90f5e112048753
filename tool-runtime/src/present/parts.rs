//! A multimodal result: media pass untouched within their budget, the texts together obey the limit.

use std::borrow::Cow;

use crate::{
    artifact::{Saved, StoreReason},
    contain::{self, Panicked},
    content::Content,
    cut::{self, Ends, Style},
    fence,
    outcome::{ModelText, Receipt, ViewSource},
    part::Part,
    policy::{Keep, Scope, TruncationStrategy},
    sanitise::Sanitised,
    stream::Streamed,
    tokens,
    truncate::{self, Bounds, Opened, Saving, Unfit},
};

use super::{
    Job, NO_OUTPUT, NeedsThread, Presented, Saves, header_for, header_room, header_tokens, kept_notice,
    media::{self, Media, Piece},
    model_tokens, notices, record, short,
    source::{Source, with_material},
    stream, token_limit,
};

pub(super) fn present(job: &Job, parts: &[Part], saves: Saves) -> Result<Presented, NeedsThread> {
    // Whoever reads it has to see that there is nothing.
    let is_empty = parts.iter().all(|part| matches!(part, Part::Text(text) if text.is_empty()));
    let nothing = [Part::text(NO_OUTPUT)];
    let parts = if is_empty { &nothing } else { parts };
    let raw: Vec<&str> = parts.iter().filter_map(as_text).collect();
    let cleaner = job.cleaner();
    let Some(cleaned) = raw.iter().map(|text| cleaner.text(text)).collect::<Option<Vec<_>>>() else {
        return Ok(short::withheld(job, "it could not be cleaned"));
    };
    let media = match media::prepare(job, &cleaner, parts, saves) {
        Ok(media) => media,
        Err(media::Stop::NeedsThread) => return Err(NeedsThread),
        Err(media::Stop::Unclean) => return Ok(short::withheld(job, "it could not be cleaned")),
    };
    let streamed = stream::save_beside(job, saves)?;
    let mut before = job.notices.clone();
    before.extend(streamed.as_ref().map(|(_, notice)| notice.clone()));
    let lines: Vec<&str> = media.lines().collect();
    let texts = Texts::new(&cleaned, job);
    let total = texts.chars();
    let fences = if job.is_external() { cleaned.len() } else { 0 };
    // Only what an outsider chose stands below our line.
    let has_fence = lines.iter().any(|line| line.contains('\n'));
    let ours = lines.join("\n") + &notices(job, &before);
    let (limit, tokens) = (limit(job, cleaned.len(), &ours), token_limit(job, &ours, fences));
    // That there is nothing is ours to say: no limit cuts it, and it is not what the tool gave.
    let exceeds = !is_empty && texts.exceed(limit, tokens);
    let keeps = job.policy.keep == Keep::Always && total > 0 && !is_empty;
    let saved = if exceeds || keeps { save(job, &raw, saves)? } else { Saved::Never };
    let mut told = before.clone();
    told.extend(kept_notice(job, &saved));
    // Where the limit bounds everything, there may be no room for a notice without a cut.
    let crowded = !exceeds && !is_empty && job.policy.scope == Scope::Total && total > 0 && {
        let late = |count: fn(&str) -> usize| count(&notices(job, &told)).saturating_sub(count(&notices(job, &before)));
        let less = |most: Option<usize>, count| most.map(|most| most.saturating_sub(late(count)));
        texts.exceed(less(limit, cut::count), less(tokens, tokens::count))
    };
    let truncated = exceeds || crowded;
    let bodies = if truncated {
        told.clone_from(&before);
        let limit = limit.map(|limit| limit.saturating_sub(header_room(job, None, &saved)));
        let limit = if crowded { Some(limit.unwrap_or(usize::MAX).min(total - 1)) } else { limit };
        let tokens = tokens.map(|tokens| tokens.saturating_sub(header_tokens(job, total, None, &saved)));
        texts.within(limit, tokens)
    } else {
        texts.cut(usize::MAX)
    };
    let shown: usize = bodies.iter().map(|body| cut::count(body)).sum();

    let mut receipt = Receipt::new(ViewSource::Content);
    match &streamed {
        // Cut texts have their own.
        Some((streamed, _)) if saved == Saved::Never => record(&mut receipt, streamed),
        _ => record(&mut receipt, &saved),
    }
    stream::record(&mut receipt, job);
    let count = |chars| if is_empty { 0 } else { chars };
    receipt.raw_chars = Some(count(raw.iter().map(|text| cut::count(text)).sum()));
    receipt.full_chars = Some(count(total));
    (receipt.view_chars, receipt.shown_chars, receipt.truncated) = (count(total), count(shown), truncated);
    receipt.strategy = truncated.then_some(match texts.style.ends {
        Ends::Head => TruncationStrategy::Head,
        Ends::HeadTail => TruncationStrategy::HeadTail,
    });
    receipt.fenced = job.is_external() && (!bodies.is_empty() || has_fence);
    receipt.notes.extend(media.notes.iter().cloned());
    receipt.left_out.clone_from(&media.left_out);
    let counts = cleaner.counts();
    (receipt.removed, receipt.defused) = (counts.removed, counts.defused);

    let header = truncated.then(|| header_for(job, total, shown, None, &saved));
    let content = assemble(job, media, bodies, header, &notices(job, &told));
    let text = content.text();
    receipt.model_chars = cut::count(&text);
    receipt.model_tokens = model_tokens(job, &text);
    Ok(Presented::new(ModelText::Own(text), Some(content), receipt))
}

fn as_text(part: &Part) -> Option<&str> {
    match part {
        Part::Text(text) => Some(text),
        _ => None,
    }
}

/// The texts of a result, cleaned.
struct Texts<'a> {
    cleaned: &'a [Cow<'a, str>],
    lengths: Vec<usize>,
    style: Style,
}

impl<'a> Texts<'a> {
    fn new(texts: &'a [Cow<'a, str>], job: &Job) -> Self {
        let ends = match job.policy.strategy {
            Some(TruncationStrategy::Head) => Ends::Head,
            _ => Ends::HeadTail,
        };
        let lengths = texts.iter().map(|text| cut::count(text)).collect();
        Self { cleaned: texts, lengths, style: Style { ends, snap: job.policy.snap } }
    }

    fn chars(&self) -> usize {
        self.lengths.iter().sum()
    }

    /// Whether they are more than that; only as many characters are counted in tokens as could be shown.
    fn exceed(&self, limit: Option<usize>, tokens: Option<usize>) -> bool {
        self.chars() > most_chars(limit, tokens) || tokens.is_some_and(|most| token_sum(self.cleaned) > most)
    }

    /// The most that may be shown.
    fn within(&self, limit: Option<usize>, tokens: Option<usize>) -> Vec<Cow<'a, str>> {
        let most = most_chars(limit, tokens);
        match tokens {
            None => self.cut(most),
            Some(tokens) => {
                let count = |bodies: &Vec<_>| token_sum(bodies);
                truncate::largest(most.min(self.chars()), tokens, |limit| self.cut(limit), count)
            }
        }
    }

    /// All together within `limit` characters.
    fn cut(&self, limit: usize) -> Vec<Cow<'a, str>> {
        let allowance = cut::allowance(&self.lengths, limit);
        let cut = |(text, &chars): (&'a Cow<'a, str>, &usize)| {
            if chars > allowance {
                Cow::Owned(cut::cut(text, chars, allowance, self.style))
            } else {
                Cow::Borrowed(text.as_ref())
            }
        };
        self.cleaned.iter().zip(&self.lengths).map(cut).collect()
    }
}

fn most_chars(limit: Option<usize>, tokens: Option<usize>) -> usize {
    Bounds { limit, tokens, ..Bounds::default() }.chars()
}

fn token_sum(texts: &[Cow<'_, str>]) -> usize {
    texts.iter().map(|text| tokens::count(text)).sum()
}

/// What the texts together may have; with `Scope::Total` what is ours is taken off first.
fn limit(job: &Job, texts: usize, ours: &str) -> Option<usize> {
    let policy = &job.policy;
    let limit = policy.limit?;
    if policy.scope == Scope::Content {
        return Some(limit);
    }
    let fence = if job.is_external() { fence::overhead_chars(policy.fence, &job.tool) } else { 0 };
    // The parts are joined by a line break where they have to be one text.
    Some(limit.saturating_sub(texts * (fence + 1) + cut::count(ours) + 1))
}

/// All texts as one artifact, a line break between each.
fn save(job: &Job, raw: &[&str], saves: Saves) -> Result<Saved, NeedsThread> {
    let beside = job.output.as_stream().and_then(Streamed::artifact);
    let mut open = || match &job.kept {
        Some(artifact) if beside.as_ref() != Some(artifact) => Opened::Saved(artifact.clone()),
        _ => job.open_as(None, saves),
    };
    let mut saving = Saving { open: &mut open, inline_bytes: saves.inline_bytes() };
    let cleaner = job.cleaner();
    let saved =
        contain::call(|| with_material(Source::Texts(raw), &cleaner, |material| truncate::save(material, &mut saving)));
    match saved {
        Ok(Ok((saved, _))) => Ok(saved),
        Ok(Err(Unfit::NeedsThread)) => Err(NeedsThread),
        Ok(Err(Unfit::Fault(_))) | Err(Panicked(_)) => Ok(Saved::No(StoreReason::Failed)),
    }
}

/// The parts in their order: our header first, our notices last, each external text in a fence of its own.
fn assemble(job: &Job, media: Media, bodies: Vec<Cow<'_, str>>, header: Option<String>, notices: &str) -> Content {
    let mut bodies = bodies.into_iter().enumerate();
    let mut content = Content::new(job.policy.trust);
    if let Some(header) = header {
        content.push_text(header);
    }
    for piece in media.pieces {
        match piece {
            Piece::Passes(part, line) => content.push(part, line),
            Piece::LeftOut(line) => content.push_text(line),
            Piece::Text => {
                let Some((index, body)) = bodies.next() else { continue };
                content.push_text(if job.is_external() {
                    job.fence(index, Sanitised::after_cut(body)).pieces().concat()
                } else {
                    body.into_owned()
                });
            }
        }
    }
    if !notices.is_empty() {
        content.push_text(notices.trim_start());
    }
    content
}
