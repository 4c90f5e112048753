//! A file in the making: exclusive, counted towards the quota, gone unless it was placed.

use std::{
    fs::File,
    io::Write,
    sync::{Arc, atomic::Ordering},
    thread,
};

use super::{Limits, vault::Vault};
use crate::{
    artifact::{StoreError, StoreReason},
    store::digest::Digest,
};

pub(super) struct Temporary {
    vault: Arc<Vault>,
    name: String,
    file: File,
    reserved: u64,
    placed: bool,
}

impl Temporary {
    pub(super) fn create(vault: &Arc<Vault>) -> Result<Self, StoreError> {
        let name = vault.temporary_name();
        let file = vault.directory().create(&name).map_err(std::io::Error::from)?;
        Ok(Self { vault: vault.clone(), name, file, reserved: 0, placed: false })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Counts `bytes` more towards the quota before they are written.
    pub(super) fn reserve(&mut self, bytes: usize, now: u64, limits: &Limits) -> Result<(), StoreError> {
        let bytes = bytes as u64;
        self.vault.section()?.make_room(bytes, now, limits)?;
        self.vault.pending.fetch_add(bytes, Ordering::Relaxed);
        self.reserved += bytes;
        Ok(())
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        Ok(self.file.write_all(bytes)?)
    }

    /// Writes, and hashes beside it: a large result costs the slower of the two, not their sum.
    pub(super) fn write_hashing(&mut self, bytes: &[u8], digest: &mut Digest) -> Result<(), StoreError> {
        let start = digest.clone();
        let hash = move || {
            let mut digest = start;
            digest.update(bytes);
            digest
        };
        thread::scope(|scope| {
            let hashing = thread::Builder::new().name("artifact-hash".into()).spawn_scoped(scope, hash);
            let written = self.write(bytes);
            match hashing {
                Ok(hashing) => *digest = hashing.join().map_err(|_| StoreReason::Failed)?,
                // No thread to be had.
                Err(_) => digest.update(bytes),
            }
            written
        })
    }

    /// The file has its final name; it stays, and counts as an artifact from now on.
    pub(super) fn set_placed(&mut self) {
        self.placed = true;
        self.release();
    }

    fn release(&mut self) {
        self.vault.pending.fetch_sub(self.reserved, Ordering::Relaxed);
        self.reserved = 0;
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.placed {
            let _ = self.vault.directory().remove(&self.name);
        }
        self.release();
    }
}
