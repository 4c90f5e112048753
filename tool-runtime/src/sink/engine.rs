//! From the bytes that a tool writes to what is shown and stored.

use std::sync::{Arc, Mutex};

use super::{
    decode::Decoder,
    outlet::{Left, Outlet},
    redacting::{Redacting, Unredacted},
};
use crate::{
    artifact::StoreReason,
    contain, cut, json,
    redact::Redactor,
    sanitise::Stream,
    stream::{Cleaned, Kept, Plan, Streamed},
};

/// The bytes are taken in blocks of this size, counted from the beginning of the stream: what comes out can't
/// depend on the pieces in which the tool wrote them.
pub(super) const BLOCK: usize = 64 * 1024;

/// The longest JSON that is treated as such: 1 MiB.
const DOCUMENT: usize = 1024 * 1024;

pub(super) struct Engine {
    plan: Plan,
    /// All bytes so far, as long as they may turn out to be one document. Nothing else has seen them yet.
    document: Option<Vec<u8>>,
    most: Option<u64>,
    decoder: Decoder,
    /// `None`: the bytes stay as they are.
    cleaning: Option<Cleaning>,
    outlet: Outlet,
    raw_chars: usize,
    failed: Option<Failed>,
}

/// Why nothing more is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failed {
    NeedsWhole,
    /// A redactor panicked, or could not be used on a stream.
    Broken,
}

/// External text is sanitised, then every redactor runs, as for texts in memory.
struct Cleaning {
    before: Option<Stream>,
    redacting: Vec<Redacting>,
    /// What was taken out may have stood inside a disguised marker.
    after: Option<Stream>,
}

impl Engine {
    pub(super) fn new(plan: Plan) -> Self {
        let (external, redactors) = (plan.is_external(), !plan.redactors.is_empty());
        let cleaning = (external || redactors).then(|| Cleaning {
            before: external.then(Stream::default),
            redacting: plan.redactors.iter().map(|redactor| Redacting::new(&**redactor)).collect(),
            after: (external && redactors).then(Stream::default),
        });
        let (decoder, outlet) = (Decoder::default(), Outlet::new(&plan));
        let document = (!plan.opens.is_empty()).then(Vec::new);
        Self { plan, document, most: None, decoder, cleaning, outlet, raw_chars: 0, failed: None }
    }

    pub(super) fn set_most(&mut self, bytes: u64) {
        self.most = Some(bytes);
        self.outlet.set_most(bytes);
    }

    /// Whether writing has to wait for a disk or a network.
    #[cfg(feature = "tokio")]
    pub(super) fn blocks(&self) -> bool {
        self.plan.store.as_ref().is_some_and(|store| store.blocks())
    }

    /// Whether nothing more is taken.
    pub(super) fn is_full(&self) -> bool {
        self.outlet.stopped_at().is_some() || self.failed == Some(Failed::Broken)
    }

    pub(super) fn expect_json(&mut self) {
        if self.outlet.is_untouched() {
            self.plan.opens = b"{[";
            self.document.get_or_insert_default();
        }
    }

    /// Takes whole blocks, or what is left of the last one.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        let Some(document) = &mut self.document else { return self.pass(bytes) };
        document.extend_from_slice(bytes);
        let length = document.len();
        let first = document.iter().find(|byte| !byte.is_ascii_whitespace());
        let opens = first.is_none_or(|first| self.plan.opens.contains(first));
        if !opens || length > DOCUMENT || self.most.is_some_and(|most| length as u64 > most) {
            let held = self.document.take().unwrap_or_default();
            self.pass(&held);
        }
    }

    /// What was held back is one document, or goes the way of all text.
    fn settle(&mut self) -> Option<String> {
        let held = self.document.take()?;
        let document = std::str::from_utf8(&held)
            .ok()
            // The second says that it is no deeper than what is written may be.
            .filter(|text| json::is_json(text) && json::is_sequence(text))
            .map(str::to_owned);
        if document.is_some() {
            self.outlet.hold();
        }
        self.pass(&held);
        document
    }

    fn pass(&mut self, bytes: &[u8]) {
        for block in bytes.chunks(BLOCK) {
            if !self.is_full() {
                self.take(block);
            }
        }
    }

    fn take(&mut self, block: &[u8]) {
        let Self { plan, decoder, cleaning, outlet, raw_chars, .. } = self;
        if cleaning.is_none() {
            let taken = outlet.store(plan, block);
            decoder.feed(&block[..taken], &mut |piece| {
                *raw_chars += cut::count(piece);
                outlet.show(plan, piece);
            });
            return;
        }
        let mut text = String::with_capacity(block.len());
        decoder.feed(block, &mut |piece| text.push_str(piece));
        self.clean(&text, false);
    }

    fn clean(&mut self, text: &str, is_last: bool) {
        self.raw_chars += cut::count(text);
        let Self { plan, cleaning: Some(cleaning), outlet, failed: failed @ None, .. } = self else { return };
        let plan = &*plan;
        let cleaned =
            contain::call(|| cleaning.feed(&plan.redactors, text, is_last, &mut |piece| outlet.push(plan, piece)));
        match cleaned {
            Ok(Ok(())) => {}
            Ok(Err(Unredacted::NeedsWhole)) => {
                *failed = Some(Failed::NeedsWhole);
                outlet.refuse(StoreReason::NeedsWhole);
            }
            Ok(Err(Unredacted::Inseparable)) | Err(_) => {
                *failed = Some(Failed::Broken);
                outlet.refuse(StoreReason::Failed);
            }
        }
    }

    pub(super) fn finish(mut self) -> Streamed {
        let document = self.settle();
        let mut last = String::new();
        self.decoder.finish(&mut |piece| last.push_str(piece));
        if self.cleaning.is_some() {
            self.clean(&last, true);
        } else {
            self.raw_chars += cut::count(&last);
            self.outlet.show(&self.plan, &last);
        }
        let Self { plan, cleaning, outlet, raw_chars, failed, .. } = self;
        let stopped_at = outlet.stopped_at();
        let Left { mut ends, raw, kept, bytes, hash } = outlet.finish();
        if failed.is_some() {
            (ends.head, ends.rest) = (String::new(), String::new());
            (ends.chars, ends.hidden) = (raw_chars, true);
        }
        let (removed, defused) = cleaning.map_or((0, 0), |cleaning| cleaning.counts());
        let trust = plan.meta.trust;
        let is_broken = failed == Some(Failed::Broken);
        let document = document.filter(|_| !is_broken);
        // A redactor that needs the whole of a text has it here.
        let kept = if document.is_some() { Kept::InMemory } else { kept };
        Streamed {
            ends,
            style: plan.style,
            raw,
            document,
            bytes,
            hash,
            cleaned: Cleaned { trust, redactors: plan.redactors, removed, defused, raw_chars, is_broken },
            stopped_at,
            kept: Arc::new(Mutex::new(kept)),
            store: plan.store,
        }
    }
}

impl Cleaning {
    fn feed(
        &mut self,
        redactors: &[Box<dyn Redactor>],
        text: &str,
        is_last: bool,
        push: &mut dyn FnMut(&str),
    ) -> Result<(), Unredacted> {
        let Self { before, redacting, after } = self;
        if redacting.is_empty() {
            sanitised(before.as_mut(), text, is_last, push);
            return Ok(());
        }
        let mut clean = String::with_capacity(text.len());
        sanitised(before.as_mut(), text, is_last, &mut |piece| clean.push_str(piece));
        for (redacting, redactor) in redacting.iter_mut().zip(redactors) {
            clean = redacting.feed(&**redactor, &clean)?;
            if is_last {
                clean.push_str(&redacting.finish(&**redactor));
            }
        }
        sanitised(after.as_mut(), &clean, is_last, push);
        Ok(())
    }

    fn counts(&self) -> (usize, usize) {
        let counts = [&self.before, &self.after].into_iter().flatten().map(Stream::counts);
        counts.fold((0, 0), |(removed, defused), counts| (removed + counts.removed, defused + counts.defused))
    }
}

fn sanitised(stream: Option<&mut Stream>, text: &str, is_last: bool, push: &mut dyn FnMut(&str)) {
    let Some(stream) = stream else { return push(text) };
    stream.feed(text, push);
    if is_last {
        stream.finish(push);
    }
}
