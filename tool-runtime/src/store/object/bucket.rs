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
    fmt, io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use futures_util::TryStreamExt;
use object_store::{
    Attributes, Error, GetOptions, GetResult, ObjectMeta, ObjectStore as Objects, ObjectStoreExt, PutMode, PutOptions,
    PutPayload, path::Path,
};

use super::record::{Body, Record, is_hex};
use crate::{
    artifact::{StoreError, StoreReason},
    store::{
        digest::hex,
        name::{self, Name},
    },
};

const BODIES: &str = "bodies";
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

/// An object that had this hash when it had this ETag.
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

/// One object of a listing.
pub(super) struct Listed {
    pub(super) what: Kind,
    pub(super) size: u64,
    /// Seconds since 1970-01-01 UTC.
    pub(super) modified: u64,
}

pub(super) enum Kind {
    /// `alone`: its content lies elsewhere.
    Artifact {
        id: String,
        created: u64,
        alone: bool,
    },
    Body {
        token: String,
    },
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

    /// Everything of ours, or what has the same hash digits.
    pub(super) async fn listing(&self, digits: Option<&str>) -> Result<Vec<Listed>, StoreError> {
        let place = digits.map_or_else(|| self.prefix.clone(), |digits| self.prefix.clone().join(digits));
        match self.objects.list(Some(&place)).try_collect::<Vec<ObjectMeta>>().await {
            Ok(objects) => Ok(objects.iter().filter_map(|object| self.listed(object)).collect()),
            Err(error @ Error::Generic { .. }) => Err(self.reason_for(error).await),
            Err(error) => Err(unsaved(error)),
        }
    }

    /// The backends do not tell why a listing failed; the look at a single key has the same reasons, and tells.
    async fn reason_for(&self, error: Error) -> StoreError {
        let key = self.prefix.clone().join(BODIES);
        match self.objects.get_opts(&key, GetOptions::new().with_head(true)).await {
            Err(Error::Generic { .. }) => refusal(error),
            Err(typed) => unsaved(typed),
            Ok(_) => refusal(error),
        }
    }

    /// `None` for what the store did not make.
    fn listed(&self, object: &ObjectMeta) -> Option<Listed> {
        let parts: Vec<_> = object.location.prefix_match(&self.prefix)?.collect();
        let [place, file] = &parts[..] else { return None };
        let (place, file) = (place.as_ref(), file.as_ref());
        let what = if place == BODIES {
            is_hex(file, 32).then(|| Kind::Body { token: file.to_owned() })?
        } else {
            let id = file.strip_suffix(".meta").unwrap_or(file);
            let name = name::parse(id).filter(|name| name.digits == place)?;
            let alone = object.size == 0 || id != file;
            Kind::Artifact { id: id.to_owned(), created: name.created, alone }
        };
        let modified = u64::try_from(object.last_modified.timestamp()).unwrap_or_default();
        Some(Listed { what, size: object.size, modified })
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

/// `None` for what is not there.
pub(super) fn known<T>(result: Result<T, Error>) -> Result<Option<T>, StoreError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(refusal(error)),
    }
}

pub(super) fn refusal(error: Error) -> StoreError {
    let reason = match error {
        Error::NotFound { .. } => StoreReason::NotFound,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => StoreReason::Denied,
        Error::NotSupported { .. } | Error::NotImplemented { .. } | Error::UnknownConfigurationKey { .. } => {
            StoreReason::Unsupported
        }
        _ => StoreReason::Failed,
    };
    StoreError::with_source(reason, io::Error::other(error))
}

/// While saving or listing, what is not there is the bucket itself.
pub(super) fn unsaved(error: Error) -> StoreError {
    match error {
        Error::NotFound { .. } => StoreError::with_source(StoreReason::Denied, io::Error::other(error)),
        error => refusal(error),
    }
}

/// The ETag that came with an answer.
pub(super) fn etag_of(result: &GetResult) -> Option<&str> {
    result.meta.e_tag.as_deref()
}
