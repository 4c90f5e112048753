//! Media beyond the budget: never cut, but left out, and saved whole.

use crate::{
    artifact::{ArtifactRef, StoreReason},
    cut,
    outcome::LeftOut,
    part::{MediaKind, Part},
    policy::Trust,
    truncate::Opened,
};

use super::{
    QUICK_BYTES, Saves,
    media::{Piece, Stage, Stop},
    place,
    source::Cleaner,
};

/// Which parts have to go for the rest to fit: the largest first, of equal ones the last.
pub(super) fn beyond_budget(parts: &[Part], budget: Option<usize>) -> Vec<bool> {
    let mut gone = vec![false; parts.len()];
    let sizes = parts.iter().enumerate().filter_map(|(index, part)| Some((part.media()?.1.len(), index)));
    let mut sizes: Vec<(usize, usize)> = sizes.collect();
    sizes.sort_unstable();
    let mut sum = sizes.iter().fold(0_usize, |sum, (size, _)| sum.saturating_add(*size));
    for (size, index) in sizes.into_iter().rev() {
        if budget.is_none_or(|budget| sum <= budget) {
            break;
        }
        sum -= size;
        gone[index] = true;
    }
    gone
}

impl Stage<'_> {
    /// A line that says what is not there, and where all of it is.
    pub(super) fn leave_out(
        &self,
        part: &Part,
        name: Option<&str>,
        saves: Saves,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<Piece, Stop> {
        let Some((kind, data, media_type)) = part.media() else { return Ok(Piece::Text) };
        let media_type = self.media_type(media_type)?;
        let (bytes, job) = (data.len(), self.job);
        let artifact = self.save(kind, data, &media_type, saves)?;
        let (saved, pointer) = match &artifact {
            Ok(artifact) => ("saved".to_owned(), place(job, artifact)),
            Err(why) => (why.clone(), why.clone()),
        };
        let named = match name {
            Some(name) if self.trust() == Trust::Trusted => format!("{name:?}, "),
            _ => String::new(),
        };
        let budget = job.policy.media_bytes.unwrap_or_default();
        let ours = format!(
            "{kind} left out: {named}{media_type}, {bytes} bytes; media may have {budget} bytes | full output: {pointer}"
        );
        let outside = name.filter(|_| self.trust() == Trust::External);
        let line = self.with_chosen(&ours, &[outside.unwrap_or_default()]);
        left_out.push(LeftOut { kind, media_type, bytes, artifact: artifact.ok(), saved });
        Ok(Piece::LeftOut(line))
    }

    /// All bytes as they are; only of a file that is text, secrets are taken out. An error says why it is not saved.
    fn save(
        &self,
        kind: MediaKind,
        data: &[u8],
        media_type: &str,
        saves: Saves,
    ) -> Result<Result<ArtifactRef, String>, Stop> {
        let job = self.job;
        let text = if kind == MediaKind::File && !job.inner.redactors.is_empty() {
            std::str::from_utf8(data).ok()
        } else {
            None
        };
        let redacted = match text {
            Some(text) => Some(Cleaner::new(false, &job.inner.redactors).text(text).ok_or(Stop::Unclean)?),
            None => None,
        };
        let bytes = redacted.as_deref().map_or(data, str::as_bytes);
        let refused = |reason: StoreReason| Ok(Err(format!("not saved ({reason})")));
        let mut writer = match job.open_as(Some(media_type), saves) {
            Opened::Writer(_) | Opened::NeedsThread if saves == Saves::OnlyQuick && bytes.len() > QUICK_BYTES => {
                return Err(Stop::NeedsThread);
            }
            Opened::Writer(writer) => writer,
            Opened::NeedsThread => return Err(Stop::NeedsThread),
            Opened::Saved(artifact) => return Ok(Ok(artifact)),
            Opened::Refused(reason) => return refused(reason),
            Opened::NoStore => return Ok(Err("not saved (no store)".to_owned())),
        };
        let written = writer.write(bytes);
        match written.and_then(|()| writer.finish(shown_chars(bytes))) {
            Ok(artifact) => Ok(Ok(artifact)),
            Err(error) => {
                tracing::warn!(tool = &*job.tool, reason = %error, "media that were left out could not be saved");
                refused(error.reason())
            }
        }
    }
}

/// Characters as they are shown: what is no UTF-8 as U+FFFD.
fn shown_chars(bytes: &[u8]) -> usize {
    bytes.utf8_chunks().map(|chunk| cut::count(chunk.valid()) + usize::from(!chunk.invalid().is_empty())).sum()
}
