//! A multimodal result: image data passes untouched, the texts together obey the limit.

use std::borrow::Cow;

use crate::{
    artifact::{Saved, StoreReason},
    contain::{self, Panicked},
    cut::{self, Ends, Style},
    fence,
    outcome::{ModelText, Receipt, ViewSource},
    output::Part,
    policy::{Keep, Scope, TruncationStrategy},
    sanitise::{self, Sanitised},
    tokens,
    truncate::{self, Bounds, Saving, Unfit},
};

use super::{
    Job, NeedsThread, Presented, Saves, header_for, header_room, header_tokens, kept_notice, model_tokens, notices,
    record, short,
    source::{Source, with_material},
    token_limit,
};

pub(super) fn present(job: &Job, parts: &[Part], saves: Saves) -> Result<Presented, NeedsThread> {
    let raw: Vec<&str> = parts.iter().filter_map(as_text).collect();
    let cleaner = job.cleaner();
    let Some(cleaned) = raw.iter().map(|text| cleaner.text(text)).collect::<Option<Vec<_>>>() else {
        return Ok(short::withheld(job, "it could not be cleaned"));
    };
    let texts = Texts::new(&cleaned, job);
    let total = texts.chars();
    let fences = if job.is_external() { cleaned.len() } else { 0 };
    let (limit, tokens) = (limit(job, cleaned.len()), token_limit(job, "", fences));
    let exceeds = texts.exceed(limit, tokens);
    let keeps = job.policy.keep == Keep::Always && total > 0;
    let saved = if exceeds || keeps { save(job, &raw, saves)? } else { Saved::Never };
    let mut told = job.notices.clone();
    told.extend(kept_notice(job, &saved));
    // Where the limit bounds everything, there may be no room for a notice without a cut.
    let crowded = !exceeds && job.policy.scope == Scope::Total && total > 0 && {
        let late =
            |count: fn(&str) -> usize| count(&notices(job, &told)).saturating_sub(count(&notices(job, &job.notices)));
        let less = |most: Option<usize>, count| most.map(|most| most.saturating_sub(late(count)));
        texts.exceed(less(limit, cut::count), less(tokens, tokens::count))
    };
    let truncated = exceeds || crowded;
    let bodies = if truncated {
        told.clone_from(&job.notices);
        let limit = limit.map(|limit| limit.saturating_sub(header_room(job, None, &saved)));
        let limit = if crowded { Some(limit.unwrap_or(usize::MAX).min(total - 1)) } else { limit };
        let tokens = tokens.map(|tokens| tokens.saturating_sub(header_tokens(job, total, None, &saved)));
        texts.within(limit, tokens)
    } else {
        texts.cut(usize::MAX)
    };
    let shown: usize = bodies.iter().map(|body| cut::count(body)).sum();

    let mut receipt = Receipt::new(ViewSource::Content);
    record(&mut receipt, &saved);
    receipt.raw_chars = Some(raw.iter().map(|text| cut::count(text)).sum());
    receipt.full_chars = Some(total);
    (receipt.view_chars, receipt.shown_chars, receipt.truncated) = (total, shown, truncated);
    receipt.strategy = truncated.then_some(match texts.style.ends {
        Ends::Head => TruncationStrategy::Head,
        Ends::HeadTail => TruncationStrategy::HeadTail,
    });
    receipt.fenced = job.is_external() && !bodies.is_empty();
    let counts = cleaner.counts();
    (receipt.removed, receipt.defused) = (counts.removed, counts.defused);

    let header = truncated.then(|| header_for(job, total, shown, None, &saved));
    let content = assemble(job, parts, bodies, header, &notices(job, &told));
    let text = flatten(&content);
    receipt.model_chars = cut::count(&text);
    receipt.model_tokens = model_tokens(job, &text);
    Ok(Presented::new(ModelText::Own(text), Some(content), receipt))
}

fn as_text(part: &Part) -> Option<&str> {
    match part {
        Part::Text(text) => Some(text),
        Part::Image { .. } => None,
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
fn limit(job: &Job, texts: usize) -> Option<usize> {
    let policy = &job.policy;
    let limit = policy.limit?;
    if policy.scope == Scope::Content {
        return Some(limit);
    }
    let fence = if job.is_external() { fence::overhead_chars(policy.fence, &job.tool) } else { 0 };
    // The parts are joined by a line break where they have to be one text.
    let ours = texts * (fence + 1) + cut::count(&notices(job, &job.notices));
    Some(limit.saturating_sub(ours))
}

/// All texts as one artifact, a line break between each.
fn save(job: &Job, raw: &[&str], saves: Saves) -> Result<Saved, NeedsThread> {
    let mut open = || job.open(false, saves);
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
fn assemble(job: &Job, parts: &[Part], bodies: Vec<Cow<'_, str>>, header: Option<String>, notices: &str) -> Vec<Part> {
    let mut bodies = bodies.into_iter().enumerate();
    let mut content: Vec<Part> = header.map(Part::Text).into_iter().collect();
    for part in parts {
        match part {
            Part::Image { data, media_type } => {
                let media_type = sanitise::media_type(media_type, job.policy.trust).into_owned();
                content.push(Part::Image { data: data.clone(), media_type });
            }
            Part::Text(_) => {
                let Some((index, body)) = bodies.next() else { continue };
                content.push(Part::Text(if job.is_external() {
                    job.fence(index, Sanitised::after_cut(body)).pieces().concat()
                } else {
                    body.into_owned()
                }));
            }
        }
    }
    if !notices.is_empty() {
        content.push(Part::text(notices.trim_start()));
    }
    content
}

/// The same for a model that takes only text: images by their media type and size.
fn flatten(content: &[Part]) -> String {
    let lines: Vec<Cow<'_, str>> = content
        .iter()
        .map(|part| match part {
            Part::Text(text) => Cow::Borrowed(text.as_str()),
            Part::Image { data, media_type } => format!("[image: {media_type}, {} bytes]", data.len()).into(),
        })
        .collect();
    lines.join("\n")
}
