//! What the calls of one session share: the loop guard, and what was saved.

use std::{
    collections::HashSet,
    hash::RandomState,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    artifact::{ArtifactRef, ArtifactStore},
    callable::Returned,
    contain,
    guard::{CallKey, Digest, Guard, LoopGuard, LoopVerdict, Note, Refusal},
    outcome::{Outcome, Status},
    output::ModelOutput,
    part::Part,
    request::Arguments,
    resolve::End,
    spec::ToolSpec,
    value::Output,
};

/// A conversation as its calls know it. They name no more than this, so that a program without sessions has no loop guard
/// in it either.
pub(crate) trait Talk: Send + Sync {
    fn id(&self) -> &Arc<str>;
    /// What the guard goes by; `None` where it is off. `spec` is of the tool that `name` means, if there is one.
    fn key(&self, spec: Option<&ToolSpec>, name: &str, arguments: &Arguments, most_bytes: usize) -> Option<CallKey>;
    /// Which calls of a turn might be refused, should every call before them give the result that makes it worst.
    fn waits(&self, keys: &[Option<CallKey>]) -> Vec<bool>;
    /// Why no call runs at all, where none does.
    fn halted(&self) -> Option<Refused>;
    /// Counts a call that is about to run, or says why it is not run.
    fn admit(&self, key: CallKey) -> Result<LoopVerdict, Refused>;
    /// A hash of what the tool gave back: the whole value, and what the tool itself chose to show beside it.
    fn digest(&self, status: Status, output: &Output, end: &End) -> u64;
    /// Takes note of what a call came to; a sentence for the model, where there is something to say.
    fn record(&self, key: CallKey, result: u64, admitted: LoopVerdict) -> Option<String>;
    /// Notes what a call saved.
    fn keep(&self, outcome: &Outcome);
}

/// Why a call was not run: for the model, and for the receipt.
pub(crate) struct Refused {
    pub(crate) text: String,
    pub(crate) reason: &'static str,
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self { text: refusal.text(), reason: refusal.reason() }
    }
}

pub(crate) struct Conversation {
    id: Arc<str>,
    settings: Arc<LoopGuard>,
    /// Of the hashes that are compared.
    keys: RandomState,
    guard: Mutex<Guard>,
    saved: Mutex<Saved>,
    store: Option<Arc<dyn ArtifactStore>>,
}

/// With the last handle of the session and the last of its calls.
impl Drop for Conversation {
    fn drop(&mut self) {
        let Some(store) = &self.store else { return };
        if let Err(panicked) = contain::call(|| store.end_session(&self.id)) {
            tracing::warn!(panic = %panicked.0, "a store panicked at the end of a session");
        }
    }
}

/// In the order they came, each once.
#[derive(Default)]
struct Saved {
    artifacts: Vec<ArtifactRef>,
    ids: HashSet<String>,
}

impl Conversation {
    pub(crate) fn new(id: Arc<str>, settings: Arc<LoopGuard>, store: Option<Arc<dyn ArtifactStore>>) -> Self {
        Self { id, settings, keys: RandomState::new(), guard: Mutex::default(), saved: Mutex::default(), store }
    }

    pub(crate) fn is_halted(&self) -> bool {
        self.guard().is_halted()
    }

    pub(crate) fn reset(&self) {
        *self.guard() = Guard::default();
    }

    pub(crate) fn ask(&self, key: CallKey) -> LoopVerdict {
        self.guard().ask(key)
    }

    pub(crate) fn has_saved(&self) -> bool {
        !self.saved_so_far().artifacts.is_empty()
    }

    pub(crate) fn saved(&self) -> Vec<ArtifactRef> {
        self.saved_so_far().artifacts.clone()
    }

    fn saved_so_far(&self) -> MutexGuard<'_, Saved> {
        self.saved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn guard(&self) -> MutexGuard<'_, Guard> {
        // No code of the user's runs under the lock.
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Talk for Conversation {
    fn id(&self) -> &Arc<str> {
        &self.id
    }

    fn key(&self, spec: Option<&ToolSpec>, name: &str, arguments: &Arguments, most_bytes: usize) -> Option<CallKey> {
        let new = || CallKey::new(spec, name, arguments, most_bytes, &self.settings, &self.keys);
        self.settings.is_on().then(new)
    }

    fn waits(&self, keys: &[Option<CallKey>]) -> Vec<bool> {
        // The guard as it stands, to try things on.
        let mut guard = self.guard().clone();
        let mut may_halt = guard.is_halted();
        let each = keys.iter().map(|key| {
            let Some(key) = *key else { return false };
            let worst = guard.ask(key);
            may_halt |= worst == LoopVerdict::Halt;
            guard.assume(key);
            may_halt || worst >= LoopVerdict::Probe
        });
        each.collect()
    }

    fn halted(&self) -> Option<Refused> {
        self.is_halted().then(|| Refusal::Halted.into())
    }

    fn admit(&self, key: CallKey) -> Result<LoopVerdict, Refused> {
        Ok(self.guard().admit(key)?)
    }

    fn digest(&self, status: Status, output: &Output, end: &End) -> u64 {
        let mut digest = Digest::new(&self.keys);
        digest.text(status.name());
        let fed = contain::call(|| {
            match (output.as_text(), output.as_parts()) {
                (Some(text), _) => digest.text(text),
                (None, Some(parts)) => feed_parts(&mut digest, parts),
                (None, None) => digest.output(output),
            }
            let End::Returned(Returned { beside: Some(beside), .. }) = end else { return };
            feed_parts(&mut digest, &beside.content);
            match &beside.model_output {
                Some(ModelOutput::Text(text)) => digest.text(text),
                Some(ModelOutput::Json(json)) => digest.json(json),
                None => {}
            }
        });
        if let Err(panicked) = fed {
            // The same panic twice is the same result.
            digest = Digest::new(&self.keys);
            digest.text(&panicked.0);
        }
        digest.finish()
    }

    fn record(&self, key: CallKey, result: u64, admitted: LoopVerdict) -> Option<String> {
        self.guard().record(key, result, admitted).map(Note::text)
    }

    fn keep(&self, outcome: &Outcome) {
        let artifacts = outcome.artifacts();
        let mut saved = self.saved_so_far();
        for artifact in artifacts {
            if saved.ids.insert(artifact.id.clone()) {
                saved.artifacts.push(artifact);
            }
        }
    }
}

/// As bytes, not as the Base64 that they are written as.
fn feed_parts(digest: &mut Digest<'_>, parts: &[Part]) {
    for part in parts {
        match part {
            Part::Text(text) => digest.text(text),
            Part::Image { data, media_type } | Part::Audio { data, media_type } => {
                digest.text(media_type);
                digest.bytes(data);
            }
            Part::File { name, data, media_type } => {
                digest.text(name);
                digest.text(media_type);
                digest.bytes(data);
            }
            Part::Remote(remote) => digest.text(&remote.url),
            Part::ResourceLink(link) => {
                digest.text(&link.uri);
                digest.text(&link.name);
                digest.text(link.description.as_deref().unwrap_or_default());
            }
        }
    }
}
