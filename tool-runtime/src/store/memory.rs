//! Full results in memory: nothing touches the disk, everything ends with the process.

use std::{
    collections::HashMap,
    fmt,
    ops::Range,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{
    digest::Digest,
    name::{self, DIGITS},
};
use crate::artifact::{
    Artifact, ArtifactEntry, ArtifactMeta, ArtifactRef, ArtifactStore, ArtifactWriter, StoreError, StoreReason,
};

/// An [`ArtifactStore`] in memory, for tests and for machines without a disk.
///
/// Clones share their artifacts. An artifact expires after 24 hours ([`max_age`](Self::max_age)); what has
/// expired goes when room is needed, and in [`sweep`](ArtifactStore::sweep). When that is not enough, what ended
/// sessions saved goes too, oldest first.
///
/// ```
/// use tool_runtime::{ArtifactMeta, ArtifactStore, MemoryStore};
///
/// # fn main() -> Result<(), tool_runtime::StoreError> {
/// let store = MemoryStore::new(1 << 20);
/// let mut writer = store.create(&ArtifactMeta::text("search", 1_711_900_000))?;
/// writer.write(b"every line of it")?;
/// let saved = writer.finish(16)?;
/// assert_eq!(store.read(&saved.id, 6..10)?.bytes, b"line");
/// assert_eq!(saved.path, None);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct MemoryStore {
    limit: usize,
    max_age: Duration,
    shared: bool,
    contents: Arc<Mutex<Contents>>,
}

#[derive(Default)]
struct Contents {
    items: HashMap<String, Item>,
    bytes: usize,
}

struct Item {
    meta: ArtifactMeta,
    sha256: String,
    chars: usize,
    bytes: Vec<u8>,
    /// Its session is over.
    is_left: bool,
}

impl Item {
    fn reference(&self, id: &str) -> ArtifactRef {
        ArtifactRef::new(id, None, &*self.sha256, self.chars)
    }
}

impl MemoryStore {
    /// A store of at most `limit_bytes` bytes of artifacts. A result that is being written counts once it
    /// is finished; alone it may not pass the limit either.
    pub fn new(limit_bytes: usize) -> Self {
        Self { limit: limit_bytes, max_age: Duration::from_secs(24 * 60 * 60), shared: false, contents: Arc::default() }
    }

    /// How long an artifact is kept, in whole seconds. Default: 24 hours.
    pub fn max_age(self, max_age: Duration) -> Self {
        Self { max_age, ..self }
    }

    /// Lets every session read what any session saved. Default: only its own.
    pub fn shared(self) -> Self {
        Self { shared: true, ..self }
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        // Every change is complete when the lock is released, also by a panic.
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let contents = self.contents();
        f.debug_struct("MemoryStore")
            .field("limit", &self.limit)
            .field("bytes", &contents.bytes)
            .field("artifacts", &contents.items.len())
            .finish_non_exhaustive()
    }
}

impl Contents {
    fn expire(&mut self, now: u64, max_age: Duration) -> usize {
        let before = self.items.len();
        self.items.retain(|_, item| item.meta.created.saturating_add(max_age.as_secs()) > now);
        self.bytes = self.items.values().map(|item| item.bytes.len()).sum();
        before - self.items.len()
    }

    /// Removes what ended sessions left, oldest first, until `adding` bytes fit.
    fn evict(&mut self, adding: usize, limit: usize) {
        let left = self.items.iter().filter(|(_, item)| item.is_left);
        let mut left: Vec<(u64, String)> = left.map(|(id, item)| (item.meta.created, id.clone())).collect();
        left.sort();
        for (_, id) in left {
            if adding <= limit.saturating_sub(self.bytes) {
                break;
            }
            self.bytes -= self.items.remove(&id).map_or(0, |item| item.bytes.len());
        }
    }

    fn same(&self, meta: &ArtifactMeta, sha256: &str) -> Option<ArtifactRef> {
        self.items
            .iter()
            .find(|(_, item)| item.sha256 == sha256 && item.meta.is_same_but_for_time(meta))
            .map(|(id, item)| item.reference(id))
    }
}

impl ArtifactStore for MemoryStore {
    fn create(&self, meta: &ArtifactMeta) -> Result<Box<dyn ArtifactWriter>, StoreError> {
        Ok(Box::new(MemoryWriter {
            store: self.clone(),
            meta: meta.clone(),
            digest: Digest::default(),
            bytes: Vec::new(),
            refused: false,
        }))
    }

    fn read(&self, id: &str, range: Range<u64>) -> Result<Artifact, StoreError> {
        name::parse(id).ok_or(StoreReason::InvalidId)?;
        let contents = self.contents();
        let item = contents.items.get(id).ok_or(StoreReason::NotFound)?;
        let size = item.bytes.len();
        let end = usize::try_from(range.end).unwrap_or(usize::MAX).min(size);
        let start = usize::try_from(range.start).unwrap_or(usize::MAX).min(end);
        let bytes = item.bytes[start..end].to_vec();
        Ok(Artifact::new(item.meta.clone(), size as u64, &*item.sha256, bytes).with_chars(item.chars))
    }

    fn list(&self) -> Result<Vec<ArtifactEntry>, StoreError> {
        let mut entries: Vec<_> = self
            .contents()
            .items
            .iter()
            .map(|(id, item)| ArtifactEntry::new(&**id, item.meta.clone(), item.bytes.len() as u64))
            .collect();
        entries.sort_by(|a, b| (a.meta.created, &a.id).cmp(&(b.meta.created, &b.id)));
        Ok(entries)
    }

    fn delete(&self, id: &str) -> Result<(), StoreError> {
        name::parse(id).ok_or(StoreReason::InvalidId)?;
        let mut contents = self.contents();
        let item = contents.items.remove(id).ok_or(StoreReason::NotFound)?;
        contents.bytes -= item.bytes.len();
        Ok(())
    }

    fn sweep(&self, now: u64) -> Result<usize, StoreError> {
        Ok(self.contents().expire(now, self.max_age))
    }

    fn blocks(&self) -> bool {
        false
    }

    fn is_shared(&self) -> bool {
        self.shared
    }

    fn end_session(&self, session: &str) {
        let mut contents = self.contents();
        let saved = contents.items.values_mut().filter(|item| item.meta.session.as_deref() == Some(session));
        saved.for_each(|item| item.is_left = true);
    }
}

struct MemoryWriter {
    store: MemoryStore,
    meta: ArtifactMeta,
    digest: Digest,
    bytes: Vec<u8>,
    refused: bool,
}

impl ArtifactWriter for MemoryWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        if self.refused || bytes.len() > self.store.limit - self.bytes.len() {
            self.refused = true;
            self.bytes = Vec::new();
            return Err(StoreReason::Full.into());
        }
        self.digest.update(bytes);
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>, chars: usize) -> Result<ArtifactRef, StoreError> {
        let Self { store, meta, digest, mut bytes, refused } = *self;
        if refused {
            return Err(StoreReason::Full.into());
        }
        bytes.shrink_to_fit();
        let sha256 = digest.finish();
        let mut contents = store.contents();
        if let Some(known) = contents.same(&meta, &sha256) {
            return Ok(known);
        }
        if bytes.len() > store.limit.saturating_sub(contents.bytes) {
            contents.expire(meta.created, store.max_age);
            contents.evict(bytes.len(), store.limit);
        }
        if bytes.len() > store.limit.saturating_sub(contents.bytes) {
            return Err(StoreReason::Full.into());
        }
        let id = name::candidates(&meta, &sha256[..DIGITS])
            .find(|id| !contents.items.contains_key(id))
            .ok_or(StoreReason::Failed)?;
        contents.bytes += bytes.len();
        let item = Item { meta, sha256, chars, bytes, is_left: false };
        let reference = item.reference(&id);
        contents.items.insert(id, item);
        Ok(reference)
    }

    fn abort(self: Box<Self>) {}
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::policy::Trust;

    fn save(store: &MemoryStore, meta: &ArtifactMeta, text: &str) -> Result<ArtifactRef, StoreError> {
        let mut writer = store.create(meta)?;
        writer.write(text.as_bytes())?;
        writer.finish(text.chars().count())
    }

    #[test]
    fn a_range_is_cut_to_what_there_is() {
        let store = MemoryStore::new(100);
        let id = save(&store, &ArtifactMeta::text("t", 7), "0123456789").unwrap().id;
        let read = |range| store.read(&id, range).unwrap().bytes;
        assert_eq!(read(0..u64::MAX), b"0123456789");
        assert_eq!(read(8..12), b"89");
        assert_eq!(read(12..14), b"");
        #[allow(clippy::reversed_empty_ranges)]
        let reversed = 5..2;
        assert_eq!(read(reversed), b"");
        assert_eq!(store.read(&id, 0..1).unwrap().size, 10);
    }

    #[test]
    fn the_same_again_is_stored_once_and_anything_else_apart() {
        let store = MemoryStore::new(100);
        let meta = ArtifactMeta::text("t", 7);
        let first = save(&store, &meta, "same").unwrap();
        assert_eq!(save(&store, &ArtifactMeta::text("t", 9), "same").unwrap(), first);
        let external = save(&store, &meta.clone().with_trust(Trust::External), "same").unwrap();
        assert_eq!(external.id, first.id.replace(".txt", "-2.txt"));
        let other = save(&store, &meta.with_session("s"), "same").unwrap();
        assert_eq!(other.id, first.id.replace(".txt", "-3.txt"));
        assert_eq!(store.list().unwrap().len(), 3);
    }

    #[test]
    fn a_full_store_refuses_until_something_expires() {
        let store = MemoryStore::new(10).max_age(Duration::from_secs(60));
        save(&store, &ArtifactMeta::text("t", 0), "012345").unwrap();
        let full = save(&store, &ArtifactMeta::text("t", 59), "abcdef").unwrap_err();
        assert_eq!(full.reason(), StoreReason::Full);
        save(&store, &ArtifactMeta::text("t", 60), "abcdef").unwrap();
        assert_eq!(store.sweep(119).unwrap(), 0);
        assert_eq!(store.sweep(120).unwrap(), 1);
        save(&store, &ArtifactMeta::text("t", 61), "0123456789").unwrap();
        assert_eq!(save(&store, &ArtifactMeta::text("t", 61), "01234567890").unwrap_err().reason(), StoreReason::Full);
    }

    #[test]
    fn an_ended_session_makes_room_for_others() {
        let store = MemoryStore::new(10);
        let of = |created, session: &str| ArtifactMeta::text("t", created).with_session(session);
        let old = save(&store, &of(1, "a"), "0123").unwrap();
        let new = save(&store, &of(2, "a"), "4567").unwrap();
        save(&store, &of(3, "b"), "x").unwrap();
        assert!(save(&store, &of(4, "b"), "abcd").is_err());
        store.end_session("a");
        save(&store, &of(4, "b"), "abcd").unwrap();
        assert_eq!(store.read(&old.id, 0..1).unwrap_err().reason(), StoreReason::NotFound);
        assert_eq!(store.read(&new.id, 0..u64::MAX).unwrap().bytes, b"4567");
        assert!(save(&store, &of(5, "b"), "0123456789").is_err());
    }

    #[test]
    fn what_is_not_an_id_is_refused_before_looking() {
        let store = MemoryStore::new(10);
        assert_eq!(store.read("../x", 0..1).unwrap_err().reason(), StoreReason::InvalidId);
        assert_eq!(store.read("x_1_0123456789ab.txt", 0..1).unwrap_err().reason(), StoreReason::NotFound);
        assert_eq!(store.delete("x").unwrap_err().reason(), StoreReason::InvalidId);
    }
}
