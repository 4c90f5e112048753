//! Verified reads: a whole by its hash, a range by the entity tag that belongs to the hash.

use std::ops::Range;

use futures_util::TryStreamExt;
use object_store::{Error, GetOptions, GetRange, ObjectStoreExt, path::Path};

use super::{
    bucket::{Bucket, Found, Verified, etag_of},
    refusal::refusal,
};
use crate::{
    artifact::{Artifact, StoreError, StoreReason},
    store::{
        digest::Digest,
        name::{self, DIGITS},
    },
};

impl Bucket {
    pub(super) async fn read(&self, id: &str, range: Range<u64>) -> Result<Artifact, StoreError> {
        let name = name::parse(id).ok_or(StoreReason::InvalidId)?;
        let found = self.find(id, name).await?;
        let size = found.size;
        let end = range.end.min(size);
        let range = range.start.min(end)..end;

        let ranged = match self.version(&found) {
            // A whole is hashed again each time.
            Some(version) if range != (0..size) => {
                self.piece(&found.content, range.clone(), &version).await?.map(|bytes| (version.sha256, bytes))
            }
            _ => None,
        };
        // An entity tag that no longer fits proves nothing: a bucket that was moved has others. The hash decides.
        let (sha256, bytes) = match ranged {
            Some(ranged) => ranged,
            None => self.whole(&found, name.digits, range).await?,
        };
        Ok(match found.record {
            Some(record) => Artifact::new(record.meta, size, sha256, bytes).with_chars(record.chars),
            None => Artifact::new(name.meta(), size, sha256, bytes),
        })
    }

    /// The version of the content that is known to have its hash: read before, or written by the one who
    /// wrote the record.
    fn version(&self, found: &Found) -> Option<Verified> {
        let seen = self.seen(&found.content);
        match &found.record {
            Some(record) => seen
                .filter(|seen| seen.sha256 == record.sha256)
                .or_else(|| Some(Verified { etag: found.etag.clone()?, sha256: record.sha256.clone() })),
            None => seen,
        }
    }

    /// A range of one version; `None` when that is not the one which is there.
    async fn piece(&self, key: &Path, range: Range<u64>, version: &Verified) -> Result<Option<Vec<u8>>, StoreError> {
        let options = GetOptions::new().with_if_match(Some(version.etag.as_str()));
        let options = if range.is_empty() {
            options.with_head(true)
        } else {
            options.with_range(Some(GetRange::Bounded(range.clone())))
        };
        let answer = match self.objects.get_opts(key, options).await {
            Ok(answer) => answer,
            Err(Error::Precondition { .. } | Error::NotModified { .. }) => return Ok(None),
            Err(error) => return Err(refusal(error)),
        };
        // A server may not know the condition.
        if etag_of(&answer) != Some(&version.etag) {
            return Ok(None);
        }
        if range.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let mut bytes = room_for(&range)?;
        let mut pieces = answer.into_stream();
        while let Some(piece) = pieces.try_next().await.map_err(refusal)? {
            bytes.extend_from_slice(&piece);
        }
        Ok((bytes.len() as u64 == range.end - range.start).then_some(bytes))
    }

    /// Hashes everything as it goes by, and keeps the range.
    async fn whole(&self, found: &Found, digits: &str, range: Range<u64>) -> Result<(String, Vec<u8>), StoreError> {
        let Found { record, content, size, .. } = found;
        let answer = self.objects.get(content).await.map_err(refusal)?;
        if answer.meta.size != *size || record.as_ref().is_some_and(|record| record.bytes != *size) {
            return Err(StoreReason::HashMismatch.into());
        }
        let etag = etag_of(&answer).map(str::to_owned);
        let mut digest = Digest::default();
        let mut bytes = room_for(&range)?;
        let mut pieces = answer.into_stream();
        let mut offset = 0;
        while let Some(piece) = pieces.try_next().await.map_err(refusal)? {
            digest.update(&piece);
            let end = offset + piece.len() as u64;
            if range.start < end && offset < range.end {
                // Both lie within the piece.
                let from = usize::try_from(range.start.saturating_sub(offset)).unwrap_or_default();
                let to = usize::try_from(range.end.min(end) - offset).unwrap_or_default();
                bytes.extend_from_slice(&piece[from..to]);
            }
            offset = end;
        }
        let sha256 = digest.finish();
        let is_expected = record.as_ref().is_none_or(|record| record.sha256 == sha256);
        if offset != *size || !is_expected || sha256[..DIGITS] != *digits {
            return Err(StoreReason::HashMismatch.into());
        }
        if let Some(etag) = etag {
            self.remember(content.clone(), etag, &sha256);
        }
        Ok((sha256, bytes))
    }
}

/// Anything may lie in a bucket, so that an allocation may fail.
fn room_for(range: &Range<u64>) -> Result<Vec<u8>, StoreError> {
    let length = usize::try_from(range.end - range.start).map_err(|_| StoreReason::TooLarge)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| StoreReason::TooLarge)?;
    Ok(bytes)
}
