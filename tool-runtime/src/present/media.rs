//! What is no text: it passes untouched, with a line that stands for it where only text can go.

use crate::{
    outcome::LeftOut,
    part::{self, MediaKind, Part, Remote, ResourceLink},
    policy::Trust,
    sanitise::{self, Sanitised},
};

use super::{Job, NeedsThread, Saves, left_out::beyond_budget, source::Cleaner};

/// Characters of a name.
const NAME: usize = 200;
/// Characters of a description.
const DESCRIPTION: usize = 1000;
/// Characters of an address that is not shown as it is.
const ADDRESS: usize = 200;
/// The first part number of names and addresses in a fence of their own, beyond those of texts and quotations.
const NAMED: usize = 1 << 33;

/// What becomes of a part.
pub(super) enum Piece {
    /// It is text; that is for others to decide.
    Text,
    /// It reaches the model, with the line that stands for it where only text can go.
    Passes(Part, String),
    /// It doesn't; this line stands in its place.
    LeftOut(String),
}

/// The parts of a result that are no text.
pub(super) struct Media {
    /// One for each part.
    pub(super) pieces: Vec<Piece>,
    pub(super) left_out: Vec<LeftOut>,
    /// What is wrong with parts, for the receipt.
    pub(super) notes: Vec<String>,
}

impl Media {
    /// The lines of all pieces but text, where only text can go.
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text => None,
            Piece::Passes(_, line) | Piece::LeftOut(line) => Some(line.as_str()),
        })
    }
}

/// Why there are no pieces.
pub(super) enum Stop {
    NeedsThread,
    /// Something that the tool chose could not be cleaned.
    Unclean,
}

impl From<NeedsThread> for Stop {
    fn from(NeedsThread: NeedsThread) -> Self {
        Self::NeedsThread
    }
}

pub(super) fn prepare(job: &Job, cleaner: &Cleaner<'_>, parts: &[Part], saves: Saves) -> Result<Media, Stop> {
    let too_large = beyond_budget(parts, job.policy.media_bytes);
    let mut media = Media { pieces: Vec::with_capacity(parts.len()), left_out: Vec::new(), notes: Vec::new() };
    let mut waiting = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let stage = Stage { job, cleaner, index };
        if let Err(error) = part.check() {
            media.notes.extend(stage.complaint(part, &error.to_string()));
        }
        let piece = match part {
            Part::Text(_) => Piece::Text,
            _ if too_large[index] => {
                waiting.push((index, stage.name(part)?));
                Piece::Text
            }
            Part::Image { data, .. } | Part::Audio { data, .. } | Part::File { data, .. } => {
                stage.pass(part, data.len())?
            }
            Part::Remote(remote) => stage.remote(remote)?,
            Part::ResourceLink(link) => stage.link(link)?,
        };
        media.pieces.push(piece);
    }
    // Only now: had something not been fit to be shown, nothing would be stored either.
    for (index, name) in waiting {
        let stage = Stage { job, cleaner, index };
        media.pieces[index] = stage.leave_out(&parts[index], name.as_deref(), saves, &mut media.left_out)?;
    }
    Ok(media)
}

/// One part on its way.
pub(super) struct Stage<'a> {
    pub(super) job: &'a Job,
    cleaner: &'a Cleaner<'a>,
    index: usize,
}

impl Stage<'_> {
    pub(super) fn trust(&self) -> Trust {
        self.job.policy.trust
    }

    /// What is wrong with a part, for the receipt. The message quotes the beginning of what the tool chose, and a
    /// secret may stand across its end; so where a redactor would change the whole, nothing of it is quoted.
    fn complaint(&self, part: &Part, message: &str) -> Option<String> {
        let cleaner = Cleaner::new(false, &self.job.inner.redactors);
        let is_clean = |text: &str| cleaner.text(text).is_some_and(|clean| clean == text);
        if part.checked_texts().into_iter().flatten().all(is_clean) {
            self.clean_line(message, 300)
        } else {
            Some("a part has a media type or a URI that is none".to_owned())
        }
    }

    fn clean_line(&self, text: &str, max_chars: usize) -> Option<String> {
        self.cleaner.line(text, max_chars)
    }

    fn line(&self, text: &str, max_chars: usize) -> Result<String, Stop> {
        self.clean_line(text, max_chars).ok_or(Stop::Unclean)
    }

    /// A well-known one says nothing about anybody. In another a redactor may find something, and then nothing of it is
    /// left.
    pub(super) fn media_type(&self, media_type: &str) -> Result<String, Stop> {
        let shown = sanitise::media_type(media_type, self.trust());
        if sanitise::media_type(&shown, Trust::External) == shown {
            return Ok(shown.into_owned());
        }
        let clean = self.cleaner.text(&shown).ok_or(Stop::Unclean)?;
        let shown = if clean == shown { shown } else { sanitise::media_type("", self.trust()) };
        Ok(shown.into_owned())
    }

    /// Our line, and below it what an outsider chose, in a fence of its own. `chosen` is clean.
    pub(super) fn with_chosen(&self, ours: &str, chosen: &[&str]) -> String {
        let chosen: Vec<&str> = chosen.iter().copied().filter(|text| !text.is_empty()).collect();
        if chosen.is_empty() {
            return format!("[{ours}]");
        }
        let fenced = self.job.fence(NAMED + self.index, Sanitised::after_cut(chosen.join("\n")));
        format!("[{ours}]\n{}", fenced.pieces().concat())
    }

    /// The name of a file, clean.
    fn name(&self, part: &Part) -> Result<Option<String>, Stop> {
        match part {
            Part::File { name, .. } if !name.is_empty() => self.line(name, NAME).map(Some),
            _ => Ok(None),
        }
    }

    /// The part, with a line that stands for it.
    fn pass(&self, part: &Part, bytes: usize) -> Result<Piece, Stop> {
        let name = self.name(part)?;
        let mut part = part.clone();
        if let (Part::File { name: old, .. }, Some(name)) = (&mut part, &name) {
            old.clone_from(name);
        }
        let shown = match &mut part {
            Part::Image { media_type, .. } | Part::Audio { media_type, .. } | Part::File { media_type, .. } => {
                *media_type = self.media_type(media_type)?;
                media_type.clone()
            }
            _ => String::new(),
        };
        let kind = part.media().map_or(MediaKind::File, |(kind, ..)| kind);
        let line = match (&name, self.trust()) {
            (Some(name), Trust::Trusted) => format!("[{kind}: {name:?}, {shown}, {bytes} bytes]"),
            (name, _) => {
                self.with_chosen(&format!("{kind}: {shown}, {bytes} bytes"), &[name.as_deref().unwrap_or_default()])
            }
        };
        Ok(Piece::Passes(part, line))
    }

    /// An address that would not be the same once it is cleaned leads nowhere, or carries more than an address.
    fn address(&self, uri: &str) -> Result<Result<(), String>, Stop> {
        let clean = self.cleaner.text(uri).ok_or(Stop::Unclean)?;
        if clean == uri && part::is_uri(uri) {
            return Ok(Ok(()));
        }
        Ok(Err(self.line(uri, ADDRESS)?))
    }

    fn bad_address(&self, what: &str, address: &str) -> Piece {
        let ours = format!("{what} left out: its address can't be shown as it is");
        Piece::LeftOut(match self.trust() {
            Trust::Trusted => format!("[{ours}: {address:?}]"),
            Trust::External => self.with_chosen(&ours, &[address]),
        })
    }

    fn remote(&self, remote: &Remote) -> Result<Piece, Stop> {
        let kind = remote.kind;
        if let Err(address) = self.address(&remote.url)? {
            return Ok(self.bad_address(kind.name(), &address));
        }
        let name = remote.name.as_deref().map(|name| self.line(name, NAME)).transpose()?;
        let media_type = remote.media_type.as_deref().map(|media_type| self.media_type(media_type)).transpose()?;
        let line = match self.trust() {
            Trust::Trusted => {
                let name = name.iter().map(|name| format!("{name:?}"));
                let about: Vec<String> = name.chain(media_type.clone()).chain([remote.url.clone()]).collect();
                format!("[{kind}: {}]", about.join(", "))
            }
            Trust::External => {
                let about = media_type.as_ref().map_or_else(|| kind.to_string(), |media| format!("{kind}: {media}"));
                self.with_chosen(&about, &[name.as_deref().unwrap_or_default(), &remote.url])
            }
        };
        Ok(Piece::Passes(Remote { name, media_type, ..remote.clone() }.into(), line))
    }

    fn link(&self, link: &ResourceLink) -> Result<Piece, Stop> {
        if let Err(address) = self.address(&link.uri)? {
            return Ok(self.bad_address("resource link", &address));
        }
        let name = self.line(&link.name, NAME)?;
        let media_type = link.media_type.as_deref().map(|media_type| self.media_type(media_type)).transpose()?;
        let description = link.description.as_deref().map(|text| self.line(text, DESCRIPTION)).transpose()?;
        let said = description.as_deref().unwrap_or_default();
        let line = match self.trust() {
            Trust::Trusted => {
                let about: Vec<String> =
                    [format!("{name:?}")].into_iter().chain(media_type.clone()).chain([link.uri.clone()]).collect();
                let colon = if said.is_empty() { "" } else { ": " };
                format!("[resource link: {}{colon}{said}]", about.join(", "))
            }
            Trust::External => {
                let about = media_type.as_ref().map_or_else(String::new, |media| format!(": {media}"));
                self.with_chosen(&format!("resource link{about}"), &[&name, &link.uri, said])
            }
        };
        Ok(Piece::Passes(ResourceLink { uri: link.uri.clone(), name, media_type, description }.into(), line))
    }
}
