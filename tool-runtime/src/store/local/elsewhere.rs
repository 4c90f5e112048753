//! Systems without the file operations that a private directory needs.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use super::Limits;
use crate::artifact::{Artifact, ArtifactEntry, ArtifactMeta, ArtifactWriter, StoreError, StoreReason};

pub(super) struct Home;

// The signatures are those of the other `home`.
#[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the same calls on every system")]
impl Home {
    pub(super) fn session() -> Self {
        Self
    }

    pub(super) fn at(_path: &Path) -> Self {
        Self
    }

    pub(super) fn path(&self) -> Option<PathBuf> {
        None
    }

    pub(super) fn check(&self) -> Result<(), StoreError> {
        Err(StoreReason::Unsupported.into())
    }

    pub(super) fn create(&self, _: Limits, _: &ArtifactMeta) -> Result<Box<dyn ArtifactWriter>, StoreError> {
        Err(StoreReason::Unsupported.into())
    }

    pub(super) fn read(&self, _id: &str, _: Range<u64>) -> Result<Artifact, StoreError> {
        Err(StoreReason::Unsupported.into())
    }

    pub(super) fn list(&self) -> Result<Vec<ArtifactEntry>, StoreError> {
        Ok(Vec::new())
    }

    pub(super) fn delete(&self, _id: &str) -> Result<(), StoreError> {
        Err(StoreReason::Unsupported.into())
    }

    pub(super) fn sweep(&self, _: &Limits, _now: u64) -> Result<usize, StoreError> {
        Ok(0)
    }

    pub(super) fn end_session(&self, _session: &str) {}
}
