//! The keys of a store in a bucket, and single requests for them.
//!
//! ```text
//! {prefix}/{digits}/{id}        an artifact with its metadata; empty when the metadata names a body
//! {prefix}/{digits}/{id}.meta   instead: the metadata alone, where a backend keeps none with an object
//! {prefix}/bodies/{token}       a body, written before anything names it
//! ```
//!
//! An artifact comes into being with one conditional request for one of the first two, so that it is there
//! whole or not at all. Its hash digits, a part of the id, also stand before it: listing them is the one
//! request that finds every artifact of that content.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use object_store::{
    Attributes, Error, GetOptions, GetResult, ObjectStore as Objects, ObjectStoreExt, PutMode, PutOptions, PutPayload,
    path::Path,
};

use super::{
    record::{Body, Record},
    refusal::{known, refusal, unsaved},
};
use crate::{
    artifact::{StoreError, StoreReason},
    store::{digest::hex, name::Name},
};

pub(super) const BODIES: &str = "bodies";
/// No metadata object of ours is longer, unless a tool's or session's name is absurd.
const MAX_RECORD: u64 = 64 * 1024;
/// Objects that are remembered as verified; beyond that everything is forgotten, which costs a read each.
const REMEMBERED: usize = 4096;

pub(super) struct Bucket {
    pub(super) objects: Arc<dyn Objects>,
    pub(super) prefix: Path,
    /// Until the backend refuses them.
    keeps_attributes: AtomicBool,
    verified: Mutex<HashMap<Path, Verified>>,
}

/// An object that had this hash when it had this entity tag.
#[derive(Clone)]
pub(super) struct Verified {
    pub(super) etag: String,
    pub(super) sha256: String,
}

/// What is found under an id.
pub(super) struct Found {
    /// `None` when it is unreadable.
    pub(super) record: Option<Record>,
    /// Where the content lies.
    pub(super) content: Path,
    pub(super) size: u64,
    /// Of the content, as its writer knew it.
    pub(super) etag: Option<String>,
    /// Everything that there is, in the order to remove it.
    pub(super) keys: Vec<Path>,
}

impl Bucket {
    pub(super) fn new(objects: Arc<dyn Objects>, prefix: Path) -> Self {
        Self { objects, prefix, keeps_attributes: AtomicBool::new(true), verified: Mutex::default() }
    }

    pub(super) fn key(&self, id: &str, name: Name<'_>) -> Path {
        self.prefix.clone().join(name.digits).join(id)
    }

    fn record_key(&self, id: &str, name: Name<'_>) -> Path {
        self.prefix.clone().join(name.digits).join(format!("{id}.meta"))
    }

    pub(super) fn body_key(&self, token: &str) -> Path {
        self.prefix.clone().join(BODIES).join(token)
    }

    /// What lies under an id that is one.
    pub(super) async fn find(&self, id: &str, name: Name<'_>) -> Result<Found, StoreError> {
        let key = self.key(id, name);
        let Some(head) = known(self.objects.get_opts(&key, GetOptions::new().with_head(true)).await)? else {
            return self.find_apart(id, name).await;
        };
        let record = Record::from_attributes(&head.attributes);
        Ok(match record.as_ref().and_then(|record| record.body.clone()) {
            Some(body) => self.with_body(key, record, &body),
            None => {
                let etag = None;
                Found { record, content: key.clone(), size: head.meta.size, etag, keys: vec![key] }
            }
        })
    }

    async fn find_apart(&self, id: &str, name: Name<'_>) -> Result<Found, StoreError> {
        let key = self.record_key(id, name);
        let object = self.objects.get(&key).await.map_err(refusal)?;
        let text = if object.meta.size <= MAX_RECORD { object.bytes().await.map_err(refusal)? } else { [][..].into() };
        let record = Record::from_json(&text);
        Ok(match record.as_ref().and_then(|record| record.body.clone()) {
            Some(body) => self.with_body(key, record, &body),
            // Nothing is there to read, but there is something to remove.
            None => Found { record: None, content: self.key(id, name), size: 0, etag: None, keys: vec![key] },
        })
    }

    fn with_body(&self, key: Path, record: Option<Record>, body: &Body) -> Found {
        let content = self.body_key(&body.token);
        let size = record.as_ref().map_or(0, |record| record.bytes);
        Found { record, content: content.clone(), size, etag: body.etag.clone(), keys: vec![key, content] }
    }

    /// Publishes an artifact; false when the id is taken. `content` is what its record does not name as a body.
    pub(super) async fn publish(
        &self,
        id: &str,
        name: Name<'_>,
        record: &Record,
        content: &PutPayload,
    ) -> Result<Published, StoreError> {
        let attributes = record.to_attributes().filter(|_| self.keeps_attributes.load(Ordering::Relaxed));
        if let Some(attributes) = attributes {
            let key = self.key(id, name);
            match self.put_new(&key, content.clone(), attributes).await {
                Ok(etag) => {
                    if let (Some(etag), None) = (etag, &record.body) {
                        self.remember(key, etag, &record.sha256);
                    }
                    return Ok(Published::Yes);
                }
                Err(Error::AlreadyExists { .. }) => return Ok(Published::Taken),
                Err(Error::NotImplemented { .. } | Error::NotSupported { .. }) => {
                    self.keeps_attributes.store(false, Ordering::Relaxed);
                }
                Err(error) => return Err(unsaved(error)),
            }
        }
        if record.body.is_none() {
            return Ok(Published::WantsBody);
        }
        match self.put_new(&self.record_key(id, name), record.to_json().into(), Attributes::new()).await {
            Ok(_) => Ok(Published::Yes),
            Err(Error::AlreadyExists { .. }) => Ok(Published::Taken),
            Err(error) => Err(unsaved(error)),
        }
    }

    async fn put_new(
        &self,
        key: &Path,
        content: PutPayload,
        attributes: Attributes,
    ) -> Result<Option<String>, object_store::Error> {
        let options = PutOptions { mode: PutMode::Create, attributes, ..PutOptions::default() };
        Ok(self.objects.put_opts(key, content, options).await?.e_tag)
    }

    /// Writes a body in one request.
    pub(super) async fn put_body(&self, content: PutPayload) -> Result<Body, StoreError> {
        let token = random_token()?;
        let etag = self.objects.put(&self.body_key(&token), content).await.map_err(unsaved)?.e_tag;
        Ok(Body { token, etag })
    }

    /// Removes; what is not there is fine.
    pub(super) async fn remove(&self, keys: &[Path]) -> Result<(), StoreError> {
        for key in keys {
            known(self.objects.delete(key).await)?;
            self.verified().remove(key);
        }
        Ok(())
    }

    pub(super) fn seen(&self, key: &Path) -> Option<Verified> {
        self.verified().get(key).cloned()
    }

    pub(super) fn remember(&self, key: Path, etag: String, sha256: &str) {
        let mut verified = self.verified();
        if verified.len() >= REMEMBERED {
            verified.clear();
        }
        verified.insert(key, Verified { etag, sha256: sha256.to_owned() });
    }

    fn verified(&self) -> MutexGuard<'_, HashMap<Path, Verified>> {
        // A map of what was true when it was written; a panic elsewhere leaves it so.
        self.verified.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A backend's `Debug` may have more than its name in it.
        write!(f, "{} at {:?}", self.objects, self.prefix.as_ref())
    }
}

pub(super) enum Published {
    Yes,
    /// Something has that id.
    Taken,
    /// The backend keeps no metadata with an object, so the content has to be a body.
    WantsBody,
}

pub(super) fn random_token() -> Result<String, StoreError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| StoreReason::Failed)?;
    Ok(hex(&bytes))
}

/// The entity tag that came with an answer.
pub(super) fn etag_of(result: &GetResult) -> Option<&str> {
    result.meta.e_tag.as_deref()
}
