//! Full results in a bucket: S3, Google Cloud Storage or Azure.

mod background;
mod bucket;
mod keep;
mod listing;
mod open;
mod read;
mod record;
mod refusal;
mod write;

use std::{ops::Range, sync::Arc, time::Duration};

use bucket::Bucket;
use object_store::path::Path;
use write::Writer;

use super::name;
use crate::artifact::{Artifact, ArtifactEntry, ArtifactMeta, ArtifactStore, ArtifactWriter, StoreError, StoreReason};

/// An [`ArtifactStore`] in S3, Google Cloud Storage or Azure, which tools on many machines share (feature
/// `object-store`).
///
/// ```
/// use tool_runtime::{ArtifactMeta, ArtifactStore, ObjectStore};
///
/// # fn main() -> Result<(), tool_runtime::StoreError> {
/// // In earnest `s3://bucket/agents`; its region and credentials are taken from the environment.
/// let store = ObjectStore::from_url("memory:///agents", std::env::vars())?.shared();
/// let mut writer = store.create(&ArtifactMeta::text("query_database", 1_711_900_000))?;
/// writer.write(b"4,213 rows")?;
/// let saved = writer.finish(10)?;
/// assert!(saved.id.starts_with("query_database_1711900000_"));
/// assert_eq!(store.read(&saved.id, 0..u64::MAX)?.bytes, b"4,213 rows");
/// # Ok(())
/// # }
/// ```
///
/// # What lies in the bucket
///
/// An artifact is the object `{prefix}/{first 12 digits of its hash}/{id}`; what is known of it is the object's
/// metadata. It is put there by one request that never replaces anything. Above 8 MiB an artifact is streamed,
/// in parts of that size, to `{prefix}/bodies/…`, and the object under its id is empty and names that body. A
/// backend without metadata gets `{id}.meta` beside a body instead.
///
/// Whoever may read the bucket may read every artifact: sessions are kept apart by the runtime, not by the
/// store. Whole reads are verified by their hash; ranges by the entity tag that the content had when it was hashed.
///
/// # What is kept, and for how long
///
/// Defaults: 64 MiB an artifact, no limit for the store, 24 hours. Nothing is removed but by
/// [`sweep`](ArtifactStore::sweep), which one machine should call from time to time; a store with a limit also
/// sweeps when it is full. Parts of an upload whose process was killed are invisible and cost money:
/// have the bucket itself abort unfinished multipart uploads after a day.
///
/// # Where it runs
///
/// All requests of a process are made on one background thread with a runtime of its own. Methods block until
/// the answer is there, for 60 seconds at most ([`timeout`](Self::timeout)), and may be called from any thread.
///
/// # Errors
///
/// Credentials that are missing a right, and a bucket that does not exist, are [`StoreReason::Denied`]; a server
/// that cannot be reached is [`StoreReason::Failed`]; a backend without conditional requests is
/// [`StoreReason::Unsupported`]. The backend's words are the error's `source`.
#[derive(Clone, Debug)]
pub struct ObjectStore {
    limits: Limits,
    bucket: Arc<Bucket>,
}

#[derive(Clone, Copy, Debug)]
struct Limits {
    artifact_bytes: u64,
    store_bytes: Option<u64>,
    max_age: Duration,
    timeout: Duration,
    shared: bool,
}

impl Limits {
    fn is_expired(&self, created: u64, now: u64) -> bool {
        created.saturating_add(self.max_age.as_secs()) <= now
    }
}

impl ObjectStore {
    /// Any backend of the `object_store` crate, which is re-exported as [`tool_runtime::object_store`]; below
    /// `prefix`, or in the whole of it if that is empty. Give it short retries: a tool call waits for them.
    ///
    /// [`tool_runtime::object_store`]: crate::object_store
    pub fn new(objects: Arc<dyn object_store::ObjectStore>, prefix: impl AsRef<str>) -> Self {
        Self::with_prefix(objects, Path::from(prefix.as_ref()))
    }

    /// `s3://bucket/prefix`, `gs://bucket/prefix`, `az://container/prefix`, or the `https` address of a bucket of
    /// these; `memory:///prefix` for tests.
    ///
    /// `options` are those of the `object_store` crate, for example `aws_access_key_id`, `aws_region`,
    /// `aws_endpoint`; upper case does as well, and what the backend does not know is ignored, so that
    /// `std::env::vars()` can be passed. Without credentials among them those of the machine are asked for.
    ///
    /// # Errors
    ///
    /// [`StoreReason::Unsupported`] for another kind of address, [`StoreReason::Failed`] for options that
    /// contradict each other. No request is made.
    pub fn from_url<K, V>(url: &str, options: impl IntoIterator<Item = (K, V)>) -> Result<Self, StoreError>
    where
        K: AsRef<str>,
        V: Into<String>,
    {
        let (objects, prefix) = open::open(url, options)?;
        Ok(Self::with_prefix(objects, prefix))
    }

    fn with_prefix(objects: Arc<dyn object_store::ObjectStore>, prefix: Path) -> Self {
        let limits = Limits {
            artifact_bytes: 64 << 20,
            store_bytes: None,
            max_age: Duration::from_secs(24 * 60 * 60),
            timeout: Duration::from_secs(60),
            shared: false,
        };
        Self { limits, bucket: Arc::new(Bucket::new(objects, prefix)) }
    }

    /// The largest artifact, in bytes. Default: 64 MiB.
    pub fn max_artifact_bytes(mut self, bytes: u64) -> Self {
        self.limits.artifact_bytes = bytes;
        self
    }

    /// All artifacts together, in bytes; machines that save at the same moment may pass it a little. Default: no
    /// limit, as every save then has to list the store.
    pub fn max_store_bytes(mut self, bytes: u64) -> Self {
        self.limits.store_bytes = Some(bytes);
        self
    }

    /// How long an artifact is kept, in whole seconds. Default: 24 hours.
    pub fn max_age(mut self, max_age: Duration) -> Self {
        self.limits.max_age = max_age;
        self
    }

    /// How long one method, or one part of a save, may take. Default: 60 seconds.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.limits.timeout = timeout;
        self
    }

    /// Lets every session read what any session saved. Default: only its own.
    pub fn shared(mut self) -> Self {
        self.limits.shared = true;
        self
    }
}

impl ArtifactStore for ObjectStore {
    fn create(&self, meta: &ArtifactMeta) -> Result<Box<dyn ArtifactWriter>, StoreError> {
        Ok(Box::new(Writer::new(self.bucket.clone(), self.limits, meta.clone())))
    }

    fn create_up_to(&self, meta: &ArtifactMeta, max_bytes: u64) -> Result<Box<dyn ArtifactWriter>, StoreError> {
        let artifact_bytes = self.limits.artifact_bytes.max(max_bytes);
        Ok(Box::new(Writer::new(self.bucket.clone(), Limits { artifact_bytes, ..self.limits }, meta.clone())))
    }

    fn read(&self, id: &str, range: Range<u64>) -> Result<Artifact, StoreError> {
        name::parse(id).ok_or(StoreReason::InvalidId)?;
        let (bucket, id) = (self.bucket.clone(), id.to_owned());
        background::wait(async move { bucket.read(&id, range).await }, self.limits.timeout)
    }

    /// One request for each artifact: their metadata does not come with a listing.
    fn list(&self) -> Result<Vec<ArtifactEntry>, StoreError> {
        background::wait(self.bucket.clone().entries(), self.limits.timeout)
    }

    fn delete(&self, id: &str) -> Result<(), StoreError> {
        background::wait(self.bucket.clone().delete(id.to_owned()), self.limits.timeout)
    }

    fn sweep(&self, now: u64) -> Result<usize, StoreError> {
        background::wait(self.bucket.clone().sweep(self.limits, now), self.limits.timeout)
    }

    fn is_shared(&self) -> bool {
        self.limits.shared
    }
}
