//! How what was written gets its id, and how long it keeps it.

use std::{collections::HashSet, sync::Arc};

use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::{PutPayload, path::Path};

use super::{
    Limits,
    bucket::{Bucket, Published},
    listing::{Kind, Listed},
    record::Record,
};
use crate::{
    artifact::{ArtifactEntry, ArtifactRef, StoreError, StoreReason},
    store::name::{self, DIGITS},
};

/// Requests at the same time, where there is one for each artifact.
const AT_ONCE: usize = 16;
/// A body that nothing names after an hour was left by a process that died.
const ABANDONED: u64 = 60 * 60;

impl Bucket {
    /// Gives the content an id, or the one that it has. A body that is not wanted after all is removed.
    pub(super) async fn keep(
        self: Arc<Self>,
        limits: Limits,
        mut record: Record,
        content: PutPayload,
    ) -> Result<ArtifactRef, StoreError> {
        let kept = self.admit(&limits, &mut record, content).await;
        let is_wanted = matches!(&kept, Ok(Kept::New(_)));
        if let (Some(body), false) = (&record.body, is_wanted) {
            // What cannot be removed now goes in a sweep.
            let _ = self.remove(&[self.body_key(&body.token)]).await;
        }
        kept.map(|(Kept::New(id) | Kept::Known(id))| ArtifactRef::new(id, None, &*record.sha256, record.chars))
    }

    async fn admit(
        self: &Arc<Self>,
        limits: &Limits,
        record: &mut Record,
        mut content: PutPayload,
    ) -> Result<Kept, StoreError> {
        let sha256 = record.sha256.clone();
        let digits = &sha256[..DIGITS];
        let mut taken = HashSet::new();
        for listed in self.listing(Some(digits)).await? {
            let Kind::Artifact { id, .. } = listed.what else { continue };
            if self.is_same(&id, record, limits).await {
                return Ok(Kept::Known(id));
            }
            taken.insert(id);
        }
        self.make_room(limits, record).await?;
        for id in name::candidates(&record.meta, digits) {
            let Some(name) = name::parse(&id).filter(|_| !taken.contains(&id)) else { continue };
            let mut published = self.publish(&id, name, record, &content).await?;
            if let Published::WantsBody = published {
                record.body = Some(self.put_body(std::mem::take(&mut content)).await?);
                published = self.publish(&id, name, record, &content).await?;
            }
            match published {
                Published::Yes => return Ok(Kept::New(id)),
                // Somebody else was faster, with the same or with something else.
                Published::Taken if self.is_same(&id, record, limits).await => return Ok(Kept::Known(id)),
                Published::Taken | Published::WantsBody => {}
            }
        }
        Err(StoreReason::Failed.into())
    }

    /// Whether the artifact is what would be saved, still is what it was, and not about to go.
    async fn is_same(&self, id: &str, wanted: &Record, limits: &Limits) -> bool {
        let Some(name) = name::parse(id) else { return false };
        match self.find(id, name).await {
            Ok(found) => {
                let is_same = found.record.is_some_and(|known| {
                    known.is_same(wanted) && !limits.is_expired(known.meta.created, wanted.meta.created)
                });
                is_same && self.read(id, 0..0).await.is_ok()
            }
            Err(_) => false,
        }
    }

    /// Only a store with a limit pays for counting.
    async fn make_room(self: &Arc<Self>, limits: &Limits, record: &Record) -> Result<(), StoreError> {
        let Some(limit) = limits.store_bytes else { return Ok(()) };
        // A body is counted already.
        let wanted = if record.body.is_some() { 0 } else { record.bytes };
        let is_full = |listing: &[Listed]| listing.iter().map(|listed| listed.size).sum::<u64>() > limit - wanted;
        if wanted > limit {
            return Err(StoreReason::Full.into());
        }
        if !is_full(&self.listing(None).await?) {
            return Ok(());
        }
        self.clone().sweep(*limits, record.meta.created).await?;
        if is_full(&self.listing(None).await?) { Err(StoreReason::Full.into()) } else { Ok(()) }
    }

    /// Oldest first.
    pub(super) async fn entries(self: Arc<Self>) -> Result<Vec<ArtifactEntry>, StoreError> {
        let ids: HashSet<String> = self.listing(None).await?.into_iter().filter_map(Listed::into_id).collect();
        let entries = stream::iter(ids).map(|id| self.clone().entry(id)).buffer_unordered(AT_ONCE);
        let mut entries: Vec<_> = entries.try_filter_map(async |entry| Ok(entry)).try_collect().await?;
        entries.sort_by(|a, b| (a.meta.created, &a.id).cmp(&(b.meta.created, &b.id)));
        Ok(entries)
    }

    /// `None` when it went in the meantime.
    async fn entry(self: Arc<Self>, id: String) -> Result<Option<ArtifactEntry>, StoreError> {
        let Some(name) = name::parse(&id) else { return Ok(None) };
        match self.find(&id, name).await {
            Ok(found) => {
                let meta = found.record.map_or_else(|| name.meta(), |record| record.meta);
                Ok(Some(ArtifactEntry::new(id, meta, found.size)))
            }
            Err(error) if error.reason() == StoreReason::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn delete(self: Arc<Self>, id: String) -> Result<(), StoreError> {
        let name = name::parse(&id).ok_or(StoreReason::InvalidId)?;
        let found = self.find(&id, name).await?;
        // First what is found, then what it leads to: half done, nothing can be read.
        self.remove(&found.keys).await
    }

    /// Removes what has expired, and abandoned bodies.
    pub(super) async fn sweep(self: Arc<Self>, limits: Limits, now: u64) -> Result<usize, StoreError> {
        let (mut expired, mut naming, mut bodies) = (HashSet::new(), HashSet::new(), HashSet::new());
        for listed in self.listing(None).await? {
            match listed.what {
                Kind::Artifact { id, created, .. } if limits.is_expired(created, now) => {
                    expired.insert(id);
                }
                Kind::Artifact { id, alone: true, .. } => {
                    naming.insert(id);
                }
                Kind::Body { token } if listed.modified.saturating_add(ABANDONED) <= now => {
                    bodies.insert(self.body_key(&token));
                }
                Kind::Artifact { .. } | Kind::Body { .. } => {}
            }
        }
        let mut removed = expired.len();
        let keys: Vec<Path> = self.keys_of(expired).await?;
        self.remove(&keys).await?;
        bodies.retain(|body| !keys.contains(body));
        // Only if something may be abandoned is it worth asking what the others name.
        if !bodies.is_empty() {
            for named in self.keys_of(naming).await? {
                bodies.remove(&named);
            }
            removed += bodies.len();
            self.remove(&bodies.into_iter().collect::<Vec<_>>()).await?;
        }
        Ok(removed)
    }

    async fn keys_of(self: &Arc<Self>, ids: HashSet<String>) -> Result<Vec<Path>, StoreError> {
        let keys = stream::iter(ids).map(|id| self.clone().keys_under(id)).buffered(AT_ONCE);
        keys.try_concat().await
    }

    async fn keys_under(self: Arc<Self>, id: String) -> Result<Vec<Path>, StoreError> {
        let Some(name) = name::parse(&id) else { return Ok(Vec::new()) };
        match self.find(&id, name).await {
            Ok(found) => Ok(found.keys),
            // Another sweep was faster.
            Err(error) if error.reason() == StoreReason::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

enum Kept {
    New(String),
    Known(String),
}
