//! One directory in use: whose turn it is, what lies in it, and how a finished file gets its place.

use std::{
    io::{self, Write},
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use rustix::io::Errno;

use super::{
    Limits,
    directory::Directory,
    lock::{self, Presence, Turn},
    read::Reader,
    sidecar::{self, Sidecar},
    stock::Stock,
    sweep,
    temporary::Temporary,
};
use crate::{
    artifact::{ArtifactRef, StoreError, StoreReason},
    store::name,
};

/// How long a directory is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// Until the last handle is dropped; nobody else saves here.
    Session,
    /// For ever, and other processes may save here too; its artifacts expire one by one.
    Directory,
}

pub(super) struct Vault {
    pub(super) reader: Arc<Reader>,
    pub(super) keep: Keep,
    turn: Turn,
    presence: Presence,
    stock: Mutex<Stock>,
    /// Bytes of saves in progress.
    pub(super) pending: AtomicU64,
    temporaries: AtomicU64,
}

impl Vault {
    pub(super) fn open(reader: Arc<Reader>, keep: Keep) -> Result<Self, StoreError> {
        let turn = Turn::open(&reader.directory)?;
        turn.take()?;
        let presence = Presence::announce(&reader.directory);
        turn.give_back();
        Ok(Self {
            reader,
            keep,
            turn,
            presence: presence?,
            stock: Mutex::default(),
            pending: AtomicU64::new(0),
            temporaries: AtomicU64::new(0),
        })
    }

    pub(super) fn directory(&self) -> &Directory {
        &self.reader.directory
    }

    /// A file name that no other save uses.
    pub(super) fn temporary_name(&self) -> String {
        lock::temporary_name(self.token(), self.temporaries.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) fn token(&self) -> &str {
        self.presence.token()
    }

    /// Waits for the turn, and gives it back when dropped.
    pub(super) fn section(&self) -> Result<Section<'_>, StoreError> {
        // A panic in a section leaves a stock that was right at each step.
        let stock = self.stock.lock().unwrap_or_else(PoisonError::into_inner);
        if self.keep == Keep::Directory {
            self.turn.take()?;
        }
        let mut section = Section { vault: self, stock };
        section.look()?;
        Ok(section)
    }

    fn reference(&self, id: &str, sidecar: &Sidecar) -> ArtifactRef {
        let path: PathBuf = self.directory().path().join(id);
        ArtifactRef::new(id, Some(path), &*sidecar.sha256, sidecar.chars)
    }
}

impl Drop for Vault {
    fn drop(&mut self) {
        match self.keep {
            // What stays is swept by the next session of this user.
            Keep::Session => sweep::clear(self.directory()),
            Keep::Directory => self.presence.leave(self.directory()),
        }
    }
}

/// The turn to change the directory.
pub(super) struct Section<'a> {
    pub(super) vault: &'a Vault,
    pub(super) stock: MutexGuard<'a, Stock>,
}

impl Section<'_> {
    /// Brings the stock up to date if another process changed the directory.
    fn look(&mut self) -> Result<(), StoreError> {
        let changes = match self.vault.keep {
            Keep::Session => 0,
            Keep::Directory => self.vault.turn.changes(),
        };
        if self.stock.seen != Some(changes) {
            self.stock.look(self.vault.directory())?;
            self.stock.seen = Some(changes);
        }
        Ok(())
    }

    /// Lets the other processes know of a change.
    pub(super) fn changed(&mut self) {
        if self.vault.keep == Keep::Directory {
            let changes = self.vault.turn.changes().wrapping_add(1);
            // On failure they look a little later; only quota and sharing of equal content are less exact.
            if self.vault.turn.set_changes(changes).is_ok() {
                self.stock.seen = Some(changes);
            }
        }
    }

    /// The artifact that already has this content, from the same source.
    pub(super) fn find(&mut self, wanted: &Sidecar, limits: &Limits) -> Result<Option<ArtifactRef>, StoreError> {
        let reader = &self.vault.reader;
        for id in self.stock.with_digits((reader.digits_of)(&wanted.sha256)) {
            let Some(known) = Sidecar::load(&reader.directory, &id) else { continue };
            let is_same = known.sha256 == wanted.sha256
                && known.bytes == wanted.bytes
                && known.meta.is_same_but_for_time(&wanted.meta)
                && !limits.is_expired(known.meta.created, wanted.meta.created);
            if is_same && reader.is_intact(&id, &known) {
                self.hold(&id, wanted)?;
                return Ok(Some(self.vault.reference(&id, &known)));
            }
        }
        Ok(None)
    }

    /// Gives the finished file its name, and its sidecar.
    pub(super) fn admit(&mut self, file: &mut Temporary, sidecar: &Sidecar) -> Result<ArtifactRef, StoreError> {
        let text = sidecar.to_json();
        let digits = (self.vault.reader.digits_of)(&sidecar.sha256);
        for id in name::candidates(&sidecar.meta, digits) {
            if self.stock.contains(&id) || !self.place(file.name(), &id, &text)? {
                continue;
            }
            file.set_placed();
            self.stock.add(&id, sidecar.bytes);
            self.changed();
            if let Err(error) = self.hold(&id, sidecar) {
                self.remove(&id);
                return Err(error.into());
            }
            return Ok(self.vault.reference(&id, sidecar));
        }
        Err(StoreReason::Failed.into())
    }

    /// False when the name is taken, by whatever it is.
    fn place(&self, temporary: &str, id: &str, sidecar: &str) -> Result<bool, StoreError> {
        let directory = self.vault.directory();
        let beside = sidecar::file_name(id);
        // The sidecar comes first: an artifact under its final name never lacks one.
        let placed = match directory.create(&beside) {
            Ok(mut file) => file.write_all(sidecar.as_bytes()).and_then(|()| Ok(directory.rename_new(temporary, id)?)),
            Err(Errno::EXIST) => return Ok(false),
            Err(error) => return Err(io::Error::from(error).into()),
        };
        match placed {
            Ok(()) => Ok(true),
            Err(error) => {
                let _ = directory.remove(&beside);
                if error.kind() == io::ErrorKind::AlreadyExists { Ok(false) } else { Err(error.into()) }
            }
        }
    }

    fn hold(&mut self, id: &str, sidecar: &Sidecar) -> io::Result<()> {
        let is_new = self.stock.hold(id, sidecar.meta.session.as_deref());
        match self.vault.keep {
            Keep::Directory if is_new => self.vault.presence.hold(id).inspect_err(|_| {
                self.stock.release(id);
            }),
            _ => Ok(()),
        }
    }

    /// Keeps the list of what is held from growing for ever.
    pub(super) fn shorten_list(&self) {
        if self.vault.keep == Keep::Directory {
            // A list that is too long holds more than it must, which is safe.
            let _ = self.vault.presence.shrink(self.stock.held());
        }
    }

    /// Lets go of what the session saved: it goes as if its process were dead.
    pub(super) fn release_session(&mut self, session: &str) {
        if self.stock.release_session(session) && self.vault.keep == Keep::Directory {
            // Should that fail, other processes keep it until this one ends, which is safe.
            let _ = self.vault.presence.rewrite(self.stock.held());
        }
    }

    /// Removes an artifact with its sidecar, if it still is one.
    pub(super) fn remove(&mut self, id: &str) -> bool {
        let directory = self.vault.directory();
        let removed = directory.open_file(id).is_ok() && directory.remove(id).is_ok();
        if removed {
            let _ = directory.remove(&sidecar::file_name(id));
            self.changed();
        }
        self.stock.forget(id);
        removed
    }
}

impl Drop for Section<'_> {
    fn drop(&mut self) {
        if self.vault.keep == Keep::Directory {
            self.vault.turn.give_back();
        }
    }
}
