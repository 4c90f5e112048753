//! One save: collected in memory while it is small, streamed to a temporary file when it is not.

use std::{mem, sync::Arc};

use super::{Limits, sidecar::Sidecar, temporary::Temporary, vault::Vault};
use crate::{
    artifact::{ArtifactMeta, ArtifactRef, ArtifactWriter, StoreError, StoreReason},
    store::digest::Digest,
};

/// Up to here a save is one hash and one `write`, and the same content again writes nothing at all. Above,
/// hashing a block is worth a thread.
const BLOCK: usize = 1024 * 1024;

pub(super) struct Writer {
    vault: Arc<Vault>,
    limits: Limits,
    meta: ArtifactMeta,
    digest: Digest,
    block: Vec<u8>,
    temporary: Option<Temporary>,
    length: u64,
    refused: Option<StoreReason>,
}

impl Writer {
    pub(super) fn new(vault: Arc<Vault>, limits: Limits, meta: ArtifactMeta) -> Self {
        let (digest, block) = (Digest::default(), Vec::new());
        Self { vault, limits, meta, digest, block, temporary: None, length: 0, refused: None }
    }

    fn append(&mut self, mut bytes: &[u8]) -> Result<(), StoreError> {
        self.length = self.length.saturating_add(bytes.len() as u64);
        if self.length > self.limits.artifact_bytes {
            return Err(StoreReason::TooLarge.into());
        }
        if self.block.len() + bytes.len() < BLOCK {
            self.block.extend_from_slice(bytes);
            return Ok(());
        }
        if !self.block.is_empty() {
            let (first, rest) = bytes.split_at(BLOCK - self.block.len());
            self.block.extend_from_slice(first);
            let mut block = mem::take(&mut self.block);
            self.spill(&block)?;
            block.clear();
            (self.block, bytes) = (block, rest);
        }
        if bytes.len() < BLOCK {
            self.block.extend_from_slice(bytes);
            return Ok(());
        }
        // However long it is: no copy, one thread.
        self.spill(bytes)
    }

    fn spill(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let temporary = match &mut self.temporary {
            Some(temporary) => temporary,
            none => none.insert(Temporary::create(&self.vault)?),
        };
        temporary.reserve(bytes.len(), self.meta.created, &self.limits)?;
        temporary.write_hashing(bytes, &mut self.digest)
    }
}

impl ArtifactWriter for Writer {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        if let Some(reason) = self.refused {
            return Err(reason.into());
        }
        self.append(bytes).inspect_err(|error| {
            self.refused = Some(error.reason());
            self.temporary = None;
            self.block = Vec::new();
        })
    }

    fn finish(self: Box<Self>, chars: usize) -> Result<ArtifactRef, StoreError> {
        let Self { vault, limits, meta, mut digest, block, temporary, length, refused } = *self;
        if let Some(reason) = refused {
            return Err(reason.into());
        }
        digest.update(&block);
        let now = meta.created;
        let sidecar = Sidecar { meta, sha256: digest.finish(), bytes: length, chars };
        let mut temporary = match temporary {
            Some(temporary) => temporary,
            None => match vault.section()?.find(&sidecar, &limits)? {
                Some(known) => return Ok(known),
                None => Temporary::create(&vault)?,
            },
        };
        temporary.reserve(block.len(), now, &limits)?;
        temporary.write(&block)?;

        // Not synchronised to the disk: after a power failure there is no conversation left that points
        // here, and a torn file does not pass the hash.
        let mut section = vault.section()?;
        section.tidy_when_due(now, &limits)?;
        // Another save of the same content may have been faster.
        if let Some(known) = section.find(&sidecar, &limits)? {
            return Ok(known);
        }
        section.make_room(0, now, &limits)?;
        section.admit(&mut temporary, &sidecar)
    }

    fn abort(self: Box<Self>) {}
}
