//! Full results on the local disk.

#[cfg(unix)]
mod directory;
#[cfg(unix)]
mod home;
#[cfg(not(unix))]
#[path = "elsewhere.rs"]
mod home;
#[cfg(unix)]
mod lock;
#[cfg(unix)]
mod read;
#[cfg(unix)]
mod sidecar;
#[cfg(unix)]
mod stock;
#[cfg(unix)]
mod sweep;
#[cfg(unix)]
mod temporary;
#[cfg(all(test, unix))]
mod tests;
#[cfg(unix)]
mod vault;
#[cfg(unix)]
mod write;

use std::{
    env, fmt,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use home::Home;

use crate::artifact::{Artifact, ArtifactEntry, ArtifactMeta, ArtifactStore, ArtifactWriter, StoreError};

/// The environment variable that [`LocalStore::from_env`] reads.
const STORE_DIR: &str = "TOOL_RUNTIME_STORE_DIR";

/// An [`ArtifactStore`] in a private directory (mode 0700, files 0600).
///
/// A path is only ever handed out for a file that was written whole; what was changed, replaced or linked
/// since does not pass the check of its hash when it is read. The directory is reached through an open
/// descriptor, so that a link in its place leads nowhere.
///
/// ```
/// use tool_runtime::{ArtifactMeta, ArtifactStore, LocalStore};
///
/// # fn main() -> Result<(), tool_runtime::StoreError> {
/// # if !cfg!(unix) { return Ok(()) }
/// let store = LocalStore::session();
/// let mut writer = store.create(&ArtifactMeta::text("query_database", 1_711_900_000))?;
/// writer.write(b"4,213 rows")?;
/// let saved = writer.finish(10)?;
/// assert!(saved.id.starts_with("query_database_1711900000_"));
/// assert_eq!(store.read(&saved.id, 0..u64::MAX)?.bytes, b"4,213 rows");
/// # Ok(())
/// # }
/// ```
///
/// # What is kept, and for how long
///
/// Defaults: 64 MiB an artifact, 1 GiB a store (the bytes of artifacts; a sidecar of about 300 bytes comes with
/// each), 24 hours. Expired artifacts are removed by the saves that follow. When the store is full, those of
/// dead processes and of ended sessions go too, oldest first; then a save is refused with [`StoreReason::Full`].
/// What a living process saved stays until it expires, and what one of its sessions saved also beyond that, as
/// long as the session lives. Files that the store did not make are never touched.
///
/// [`sweep`](ArtifactStore::sweep) also removes unfinished files of killed processes (it counts them and the
/// artifacts), and the directories that this user's killed processes left below the temporary directory.
///
/// # Errors
///
/// The directory is made and checked at the first save, not when the store is made: a save that cannot be done
/// does not fail a call. [`check`](Self::check) looks at once. A directory of another owner, open to group or
/// others, or a link in its place is refused with [`StoreReason::Denied`]. Linux and macOS have this store;
/// on systems that are not Unix every save answers [`StoreReason::Unsupported`].
///
/// [`StoreReason::Full`]: crate::StoreReason::Full
/// [`StoreReason::Denied`]: crate::StoreReason::Denied
/// [`StoreReason::Unsupported`]: crate::StoreReason::Unsupported
#[derive(Clone)]
pub struct LocalStore {
    limits: Limits,
    home: Arc<Home>,
}

#[derive(Clone, Copy, Debug)]
struct Limits {
    artifact_bytes: u64,
    store_bytes: u64,
    artifacts: Option<usize>,
    max_age: Duration,
    shared: bool,
}

impl Limits {
    fn is_expired(&self, created: u64, now: u64) -> bool {
        created.saturating_add(self.max_age.as_secs()) <= now
    }
}

impl LocalStore {
    /// A directory of its own below the system's temporary directory, made at the first save and removed with
    /// everything in it when the last clone is dropped.
    pub fn session() -> Self {
        Self::new(Home::session())
    }

    /// The directory `path`, made where it is missing. It stays, and so do its artifacts until they expire;
    /// processes may share it.
    pub fn at(path: impl AsRef<Path>) -> Self {
        Self::new(Home::at(path.as_ref()))
    }

    /// [`at`](Self::at) the directory that the environment variable `TOOL_RUNTIME_STORE_DIR` names, if it is set
    /// and not empty, else a [`session`](Self::session). This is a registry's default.
    pub fn from_env() -> Self {
        match env::var_os(STORE_DIR) {
            Some(path) if !path.is_empty() => Self::at(PathBuf::from(path)),
            _ => Self::session(),
        }
    }

    fn new(home: Home) -> Self {
        let limits = Limits {
            artifact_bytes: 64 << 20,
            store_bytes: 1 << 30,
            artifacts: None,
            max_age: Duration::from_secs(24 * 60 * 60),
            shared: false,
        };
        Self { limits, home: Arc::new(home) }
    }

    /// The largest artifact, in bytes. Default: 64 MiB.
    pub fn max_artifact_bytes(mut self, bytes: u64) -> Self {
        self.limits.artifact_bytes = bytes;
        self
    }

    /// All artifacts together, in bytes. Default: 1 GiB.
    pub fn max_store_bytes(mut self, bytes: u64) -> Self {
        self.limits.store_bytes = bytes;
        self
    }

    /// How many artifacts there may be. Default: no limit.
    pub fn max_artifacts(mut self, artifacts: usize) -> Self {
        self.limits.artifacts = Some(artifacts);
        self
    }

    /// How long an artifact is kept, in whole seconds. Default: 24 hours.
    pub fn max_age(mut self, max_age: Duration) -> Self {
        self.limits.max_age = max_age;
        self
    }

    /// Lets every session read what any session saved. Default: only its own.
    pub fn shared(mut self) -> Self {
        self.limits.shared = true;
        self
    }

    /// Makes the directory now, and says whether it can be used.
    pub fn check(&self) -> Result<(), StoreError> {
        self.home.check()
    }

    /// The directory; none for a session that has saved nothing yet.
    pub fn path(&self) -> Option<PathBuf> {
        self.home.path()
    }
}

impl fmt::Debug for LocalStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalStore").field("path", &self.path()).field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl ArtifactStore for LocalStore {
    fn create(&self, meta: &ArtifactMeta) -> Result<Box<dyn ArtifactWriter>, StoreError> {
        self.home.create(self.limits, meta)
    }

    fn create_up_to(&self, meta: &ArtifactMeta, max_bytes: u64) -> Result<Box<dyn ArtifactWriter>, StoreError> {
        let artifact_bytes = self.limits.artifact_bytes.max(max_bytes);
        self.home.create(Limits { artifact_bytes, ..self.limits }, meta)
    }

    /// Takes an id, or the path that a save gave.
    fn read(&self, id: &str, range: Range<u64>) -> Result<Artifact, StoreError> {
        self.home.read(id, range)
    }

    fn list(&self) -> Result<Vec<ArtifactEntry>, StoreError> {
        self.home.list()
    }

    fn delete(&self, id: &str) -> Result<(), StoreError> {
        self.home.delete(id)
    }

    fn sweep(&self, now: u64) -> Result<usize, StoreError> {
        self.home.sweep(&self.limits, now)
    }

    fn is_shared(&self) -> bool {
        self.limits.shared
    }

    fn end_session(&self, session: &str) {
        self.home.end_session(session);
    }
}
