//! Where a store lies. The directory is opened, and made, when it is first needed.

use std::{
    env,
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    Limits,
    directory::Directory,
    lock,
    read::{DigitsOf, Reader},
    sweep,
    vault::{Keep, Vault},
    write::Writer,
};
use crate::{
    artifact::{Artifact, ArtifactEntry, ArtifactMeta, ArtifactWriter, StoreError, StoreReason},
    store::name::{self, DIGITS},
};

/// Names of session directories are tried until one is free; they are random, so the first is.
const ATTEMPTS: usize = 8;

pub(super) struct Home {
    place: Place,
    pub(super) digits_of: DigitsOf,
    open: Mutex<Open>,
}

enum Place {
    /// Below the system's temporary directory, under a name not chosen yet.
    Session,
    At(PathBuf),
}

#[derive(Default)]
struct Open {
    /// Of a directory that may be read; nothing is written to it before the first save.
    reader: Option<Arc<Reader>>,
    vault: Option<Arc<Vault>>,
}

impl Home {
    pub(super) fn session() -> Self {
        Self::new(Place::Session)
    }

    pub(super) fn at(path: &Path) -> Self {
        // Relative to where the program is now, and without a trailing slash, which would follow a link.
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self::new(Place::At(absolute.components().collect()))
    }

    fn new(place: Place) -> Self {
        Self { place, digits_of: |sha256| &sha256[..DIGITS], open: Mutex::default() }
    }

    pub(super) fn path(&self) -> Option<PathBuf> {
        match &self.place {
            Place::At(path) => Some(path.clone()),
            Place::Session => self.open().vault.as_ref().map(|vault| vault.directory().path().to_owned()),
        }
    }

    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.vault().map(drop)
    }

    pub(super) fn create(&self, limits: Limits, meta: &ArtifactMeta) -> Result<Box<dyn ArtifactWriter>, StoreError> {
        Ok(Box::new(Writer::new(self.vault()?, limits, meta.clone())))
    }

    pub(super) fn read(&self, id: &str, range: Range<u64>) -> Result<Artifact, StoreError> {
        let id = self.id_of(id)?;
        self.reader()?.ok_or(StoreReason::NotFound)?.read(id, range)
    }

    pub(super) fn list(&self) -> Result<Vec<ArtifactEntry>, StoreError> {
        self.reader()?.map_or_else(|| Ok(Vec::new()), |reader| reader.list())
    }

    pub(super) fn delete(&self, id: &str) -> Result<(), StoreError> {
        let id = self.id_of(id)?;
        let vault = self.known_vault()?.ok_or(StoreReason::NotFound)?;
        let mut section = vault.section()?;
        // Says why not: missing, a link, a directory.
        vault.directory().open_file(id)?;
        if section.remove(id) { Ok(()) } else { Err(StoreReason::Failed.into()) }
    }

    pub(super) fn sweep(&self, limits: &Limits, now: u64) -> Result<usize, StoreError> {
        sweep::dead_sessions(&env::temp_dir());
        match self.known_vault()? {
            Some(vault) => vault.section()?.tidy(now, limits),
            None => Ok(0),
        }
    }

    /// Does nothing where nothing was saved: then there is nothing to let go of.
    pub(super) fn end_session(&self, session: &str) {
        let vault = self.open().vault.clone();
        // Without the turn everything stays held, which is safe.
        if let Some(mut section) = vault.as_ref().and_then(|vault| vault.section().ok()) {
            section.release_session(session);
        }
    }

    /// Takes an id, or the path of an artifact as the model was shown it.
    fn id_of<'a>(&self, text: &'a str) -> Result<&'a str, StoreError> {
        let id = match text.rsplit_once('/') {
            None => text,
            Some((directory, id)) if self.path().is_some_and(|path| path == Path::new(directory)) => id,
            Some(_) => return Err(StoreReason::InvalidId.into()),
        };
        name::parse(id).map(|_| id).ok_or_else(|| StoreReason::InvalidId.into())
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        // Both fields are set in one step each.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The directory to save to; made if need be, also again if somebody removed it.
    fn vault(&self) -> Result<Arc<Vault>, StoreError> {
        let mut open = self.open();
        if let Some(vault) = open.vault.as_ref().filter(|vault| vault.directory().is_linked()) {
            return Ok(vault.clone());
        }
        let vault = Arc::new(match &self.place {
            Place::Session => self.new_session()?,
            Place::At(path) => {
                let reader = match open.reader.take().filter(|reader| reader.directory.is_linked()) {
                    Some(reader) => reader,
                    None => Arc::new(Reader::new(Directory::open_or_make(path)?, self.digits_of)),
                };
                Vault::open(reader, Keep::Directory)?
            }
        });
        *open = Open { reader: Some(vault.reader.clone()), vault: Some(vault.clone()) };
        Ok(vault)
    }

    fn new_session(&self) -> Result<Vault, StoreError> {
        let root = std::path::absolute(env::temp_dir())?;
        sweep::dead_sessions(&root);
        for _ in 0..ATTEMPTS {
            let path = root.join(format!("{}{}", sweep::SESSION, lock::random_token()?));
            if let Some(directory) = Directory::make(&path)? {
                let reader = Arc::new(Reader::new(directory, self.digits_of));
                return Vault::open(reader.clone(), Keep::Session).inspect_err(|_| sweep::clear(&reader.directory));
            }
        }
        Err(StoreReason::Failed.into())
    }

    /// The directory to read from, if there is one.
    fn reader(&self) -> Result<Option<Arc<Reader>>, StoreError> {
        let mut open = self.open();
        if let Some(reader) = open.reader.as_ref().filter(|reader| reader.directory.is_linked()) {
            return Ok(Some(reader.clone()));
        }
        let Place::At(path) = &self.place else { return Ok(None) };
        let found = Directory::open(path)?.map(|directory| Arc::new(Reader::new(directory, self.digits_of)));
        open.reader.clone_from(&found);
        Ok(found)
    }

    /// The directory to change, if there is one.
    fn known_vault(&self) -> Result<Option<Arc<Vault>>, StoreError> {
        match (&self.place, self.reader()?) {
            (_, None) => Ok(None),
            (Place::At(_), Some(_)) => self.vault().map(Some),
            (Place::Session, Some(_)) => Ok(self.open().vault.clone()),
        }
    }
}
