//! One save: held in memory while it is small, streamed to a body in parts when it is not.

use std::{mem, sync::Arc, time::Duration};

use object_store::{MultipartUpload, ObjectStoreExt, PutPayload};

use super::{
    Limits,
    background::{self, Pending},
    bucket::{Bucket, random_token},
    record::{Body, Record},
    refusal::unsaved,
};
use crate::{
    artifact::{ArtifactMeta, ArtifactRef, ArtifactWriter, StoreError, StoreReason},
    store::digest::Digest,
};

/// Above the 5 MiB that S3 wants of every part but the last; its 10,000 parts allow 78 GiB. A save that
/// fits is one request, a longer one holds two of them: one on its way, one being filled.
const PART: usize = 8 << 20;
/// Cleaning up after a failure does not wait as long as the failure itself may have.
const CLEANING: Duration = Duration::from_secs(5);

pub(super) struct Writer {
    bucket: Arc<Bucket>,
    limits: Limits,
    meta: ArtifactMeta,
    digest: Digest,
    part: Vec<u8>,
    length: u64,
    upload: Option<Upload>,
    refused: Option<StoreReason>,
}

impl Writer {
    pub(super) fn new(bucket: Arc<Bucket>, limits: Limits, meta: ArtifactMeta) -> Self {
        let (digest, part) = (Digest::default(), Vec::new());
        Self { bucket, limits, meta, digest, part, length: 0, upload: None, refused: None }
    }

    fn append(&mut self, mut bytes: &[u8]) -> Result<(), StoreError> {
        self.length = self.length.saturating_add(bytes.len() as u64);
        if self.length > self.limits.artifact_bytes {
            return Err(StoreReason::TooLarge.into());
        }
        while self.part.len() + bytes.len() > PART {
            let (first, rest) = bytes.split_at(PART - self.part.len());
            self.part.extend_from_slice(first);
            bytes = rest;
            let part = mem::replace(&mut self.part, Vec::with_capacity(PART));
            self.send(part)?;
        }
        self.part.extend_from_slice(bytes);
        Ok(())
    }

    fn send(&mut self, part: Vec<u8>) -> Result<(), StoreError> {
        let upload = match &mut self.upload {
            Some(upload) => upload,
            none => none.insert(Upload::begin(&self.bucket, self.limits.timeout)?),
        };
        self.digest.update(&part);
        upload.send(part)
    }
}

impl ArtifactWriter for Writer {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        if let Some(reason) = self.refused {
            return Err(reason.into());
        }
        self.append(bytes).inspect_err(|error| {
            self.refused = Some(error.reason());
            self.upload = None;
            self.part = Vec::new();
        })
    }

    fn finish(mut self: Box<Self>, chars: usize) -> Result<ArtifactRef, StoreError> {
        if let Some(reason) = self.refused {
            return Err(reason.into());
        }
        let mut part = mem::take(&mut self.part);
        let body = if self.upload.is_some() {
            self.send(mem::take(&mut part))?;
            self.upload.take().map(Upload::complete).transpose()?
        } else {
            self.digest.update(&part);
            None
        };
        let Self { bucket, limits, meta, digest, length, .. } = *self;
        let record = Record { meta, sha256: digest.finish(), bytes: length, chars, body };
        background::wait(bucket.keep(limits, record, PutPayload::from(part)), limits.timeout)
    }

    fn abort(self: Box<Self>) {}
}

/// A body on its way; dropped before it is complete, it is withdrawn.
struct Upload {
    token: String,
    parts: Option<Box<dyn MultipartUpload>>,
    on_its_way: Option<Pending<()>>,
    timeout: Duration,
}

impl Upload {
    fn begin(bucket: &Arc<Bucket>, timeout: Duration) -> Result<Self, StoreError> {
        let token = random_token()?;
        let (bucket, key) = (bucket.clone(), bucket.body_key(&token));
        let begun = async move { bucket.objects.put_multipart(&key).await.map_err(unsaved) };
        Ok(Self { token, parts: Some(background::wait(begun, timeout)?), on_its_way: None, timeout })
    }

    /// Waits for the part before, not for this one.
    fn send(&mut self, part: Vec<u8>) -> Result<(), StoreError> {
        self.arrive()?;
        let sent = self.parts.as_mut().ok_or(StoreReason::Failed)?.put_part(part.into());
        self.on_its_way = Some(background::begin(async move { sent.await.map_err(unsaved) }, self.timeout)?);
        Ok(())
    }

    fn arrive(&mut self) -> Result<(), StoreError> {
        self.on_its_way.take().map_or(Ok(()), Pending::wait)
    }

    fn complete(mut self) -> Result<Body, StoreError> {
        self.arrive()?;
        let mut parts = self.parts.take().ok_or(StoreReason::Failed)?;
        let completed = async move {
            match parts.complete().await {
                Ok(done) => Ok(done.e_tag),
                Err(error) => {
                    // What cannot be withdrawn now is the bucket's to clean up.
                    let _ = parts.abort().await;
                    Err(unsaved(error))
                }
            }
        };
        let etag = background::wait(completed, self.timeout)?;
        Ok(Body { token: mem::take(&mut self.token), etag })
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        // A part that arrives after everything was withdrawn would stay.
        if let Some(part) = self.on_its_way.take() {
            let _ = part.wait_for(CLEANING);
        }
        if let Some(mut parts) = self.parts.take() {
            let _ = background::wait(async move { parts.abort().await.map_err(unsaved) }, CLEANING);
        }
    }
}
