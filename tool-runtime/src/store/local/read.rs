//! Verified reads: nothing leaves that was not hashed, and a range costs a range.

use std::{
    collections::HashMap,
    fs::{File, Metadata},
    io,
    ops::Range,
    os::unix::fs::{FileExt, MetadataExt},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::{directory::Directory, sidecar::Sidecar};
use crate::{
    artifact::{Artifact, ArtifactEntry, StoreError, StoreReason},
    store::{
        digest::Digest,
        name::{self, Name},
    },
};

const PIECE: usize = 64 * 1024;
/// Files that are remembered as verified; beyond that everything is forgotten, which costs a hash each.
const REMEMBERED: usize = 4096;

/// What of a hash goes into the id; a parameter, so that tests can make two hashes collide.
pub(super) type DigitsOf = fn(&str) -> &str;

/// Reads from one directory, also before anything is saved to it.
pub(super) struct Reader {
    pub(super) directory: Directory,
    pub(super) digits_of: DigitsOf,
    verified: Mutex<HashMap<String, Verified>>,
}

#[derive(Clone, Debug)]
struct Verified {
    state: FileState,
    sha256: String,
}

/// Two equal states mean equal content; see [`FileState::is_settled`] for the one exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileState {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileState {
    fn of(file: &File) -> io::Result<Self> {
        let found: Metadata = file.metadata()?;
        Ok(Self {
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        })
    }

    /// Whether the next change must show in the times. They move in the steps of the kernel's tick, or of a
    /// whole second on some file systems: of two changes in one step, the second would be invisible.
    fn is_settled(&self) -> bool {
        let step = if self.changed.1 == 0 { Duration::from_secs(2) } else { Duration::from_millis(50) };
        let (Ok(seconds), Ok(nanoseconds)) = (u64::try_from(self.changed.0), u32::try_from(self.changed.1)) else {
            return false;
        };
        let changed = UNIX_EPOCH + Duration::new(seconds, nanoseconds);
        SystemTime::now().duration_since(changed).is_ok_and(|age| age > step)
    }
}

impl Reader {
    pub(super) fn new(directory: Directory, digits_of: DigitsOf) -> Self {
        Self { directory, digits_of, verified: Mutex::default() }
    }

    pub(super) fn read(&self, id: &str, range: Range<u64>) -> Result<Artifact, StoreError> {
        let name = name::parse(id).ok_or(StoreReason::InvalidId)?;
        let file = self.directory.open_file(id)?;
        let known = Sidecar::load(&self.directory, id);
        let (sha256, size, bytes) = self.verify(id, name, &file, known.as_ref(), range)?;
        Ok(match known {
            Some(known) => Artifact::new(known.meta, size, sha256, bytes).with_chars(known.chars),
            None => Artifact::new(name.meta(), size, sha256, bytes),
        })
    }

    /// Whether the artifact is still what `known` says.
    pub(super) fn is_intact(&self, id: &str, known: &Sidecar) -> bool {
        let checked = name::parse(id)
            .ok_or_else(|| StoreReason::InvalidId.into())
            .and_then(|name| self.verify(id, name, &self.directory.open_file(id)?, Some(known), 0..0));
        checked.is_ok()
    }

    /// Everything in the directory that `read` would open, oldest first. Contents are not read.
    pub(super) fn list(&self) -> Result<Vec<ArtifactEntry>, StoreError> {
        let mut list = Vec::new();
        for entry in self.directory.entries()? {
            let Some(name) = name::parse(&entry.name).filter(|_| entry.may_be_file) else { continue };
            let Ok(file) = self.directory.open_file(&entry.name) else { continue };
            let meta = Sidecar::load(&self.directory, &entry.name).map_or_else(|| name.meta(), |sidecar| sidecar.meta);
            let size = file.metadata()?.len();
            list.push(ArtifactEntry::new(entry.name, meta, size));
        }
        list.sort_by(|a, b| (a.meta.created, &a.id).cmp(&(b.meta.created, &b.id)));
        Ok(list)
    }

    /// Gives hash, size and the bytes in `range`, exactly those that were hashed.
    fn verify(
        &self,
        id: &str,
        name: Name<'_>,
        file: &File,
        known: Option<&Sidecar>,
        range: Range<u64>,
    ) -> Result<(String, u64, Vec<u8>), StoreError> {
        let before = FileState::of(file)?;
        if known.is_some_and(|known| known.bytes != before.size) {
            return Err(StoreReason::HashMismatch.into());
        }
        let end = range.end.min(before.size);
        let range = range.start.min(end)..end;

        let seen = self.verified().get(id).filter(|seen| seen.state == before).cloned();
        let (sha256, bytes) = match seen {
            Some(seen) => (seen.sha256, read_range(file, range)?),
            None => hash_and_read(file, before.size, range)?,
        };
        let is_expected = known.is_none_or(|known| known.sha256 == sha256);
        if FileState::of(file)? != before || !is_expected || (self.digits_of)(&sha256) != name.digits {
            return Err(StoreReason::HashMismatch.into());
        }
        if before.is_settled() {
            let mut verified = self.verified();
            if verified.len() >= REMEMBERED {
                verified.clear();
            }
            verified.insert(id.to_owned(), Verified { state: before, sha256: sha256.clone() });
        }
        Ok((sha256, before.size, bytes))
    }

    fn verified(&self) -> MutexGuard<'_, HashMap<String, Verified>> {
        // A map of what was true when it was written; a panic elsewhere leaves it so.
        self.verified.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read_range(file: &File, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
    let (mut bytes, length) = room_for(&range)?;
    bytes.resize(length, 0);
    read_exact(file, &mut bytes, range.start)?;
    Ok(bytes)
}

/// One pass over the file, in pieces; the range is kept as it goes by.
fn hash_and_read(file: &File, size: u64, range: Range<u64>) -> Result<(String, Vec<u8>), StoreError> {
    let mut digest = Digest::default();
    let (mut bytes, _) = room_for(&range)?;
    let mut buffer = vec![0; PIECE];
    let mut offset = 0;
    while offset < size {
        let length = usize::try_from(size - offset).map_or(PIECE, |rest| rest.min(PIECE));
        let piece = &mut buffer[..length];
        read_exact(file, piece, offset)?;
        digest.update(piece);
        let end = offset + length as u64;
        if range.start < end && offset < range.end {
            // Both lie within the piece, so within 64 KiB.
            let from = usize::try_from(range.start.saturating_sub(offset)).unwrap_or_default();
            let to = usize::try_from(range.end.min(end) - offset).unwrap_or_default();
            bytes.extend_from_slice(&piece[from..to]);
        }
        offset = end;
    }
    Ok((digest.finish(), bytes))
}

/// A large enough buffer, and the length in question. A file of any size may lie here, so that an
/// allocation may fail.
fn room_for(range: &Range<u64>) -> Result<(Vec<u8>, usize), StoreError> {
    let length = usize::try_from(range.end - range.start).map_err(|_| StoreReason::TooLarge)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| StoreReason::TooLarge)?;
    Ok((bytes, length))
}

fn read_exact(file: &File, bytes: &mut [u8], offset: u64) -> Result<(), StoreError> {
    file.read_exact_at(bytes, offset).map_err(|error| match error.kind() {
        // It became shorter while we read.
        io::ErrorKind::UnexpectedEof => StoreError::with_source(StoreReason::HashMismatch, error),
        _ => error.into(),
    })
}
