//! What goes, and in which order: expired artifacts, what the dead left, and nothing else.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::Path,
    sync::atomic::Ordering,
};

use super::{
    Limits,
    directory::{Directory, Entry},
    lock::{self, TURN, Turn},
    sidecar::{self, Sidecar},
    vault::{Keep, Section},
};
use crate::{
    artifact::{StoreError, StoreReason},
    store::name,
};

/// The name of a session's directory is this and a token.
pub(super) const SESSION: &str = "tool-runtime-";
/// A directory without a lock may be a session about to begin, but not for an hour.
const BIRTH_SECONDS: u64 = 60 * 60;

impl Section<'_> {
    /// Sees to it that `adding` more bytes fit.
    pub(super) fn make_room(&mut self, adding: u64, now: u64, limits: &Limits) -> Result<(), StoreError> {
        let adding = adding.saturating_add(self.vault.pending.load(Ordering::Relaxed));
        if self.stock.has_room(adding, limits) {
            return Ok(());
        }
        if adding > limits.store_bytes {
            // Would not fit into an empty store: no reason to empty it.
            return Err(StoreReason::Full.into());
        }
        // Somebody may have removed files by hand.
        self.stock.look(self.vault.directory())?;
        self.expire(now, limits)?;
        self.evict(adding, limits)?;
        if self.stock.has_room(adding, limits) { Ok(()) } else { Err(StoreReason::Full.into()) }
    }

    /// Ids that other living stores point to.
    fn held_by_others(&self) -> Result<HashSet<String>, StoreError> {
        let mut held = HashSet::new();
        if self.vault.keep == Keep::Directory {
            for entry in self.vault.directory().entries()? {
                if let Some(token) = lock::presence_token(&entry.name).filter(|token| *token != self.vault.token()) {
                    held.extend(lock::held_by(self.vault.directory(), token)?.unwrap_or_default());
                }
            }
        }
        Ok(held)
    }

    /// Removes what has expired, oldest first; gives the number. What a session points to stays as long as
    /// the session's process lives.
    fn expire(&mut self, now: u64, limits: &Limits) -> Result<usize, StoreError> {
        let others = self.held_by_others()?;
        let mut removed = 0;
        for (created, id) in self.stock.by_age() {
            if !limits.is_expired(created, now) {
                break;
            }
            let is_held = self.stock.is_held(&id) || others.contains(&id);
            let in_session =
                || Sidecar::load(self.vault.directory(), &id).is_none_or(|sidecar| sidecar.meta.session.is_some());
            if !(is_held && in_session()) {
                removed += usize::from(self.remove(&id));
            }
        }
        self.stock.looked_for_expired(now, limits);
        self.shorten_list();
        Ok(removed)
    }

    /// Removes what only dead processes and ended sessions pointed to, oldest first, until `adding` more bytes fit.
    fn evict(&mut self, adding: u64, limits: &Limits) -> Result<(), StoreError> {
        if self.stock.has_room(adding, limits) {
            return Ok(());
        }
        let others = self.held_by_others()?;
        for (_, id) in self.stock.by_age() {
            if self.stock.has_room(adding, limits) {
                break;
            }
            if !self.stock.is_held(&id) && !others.contains(&id) {
                self.remove(&id);
            }
        }
        Ok(())
    }

    /// The first time everything that [`tidy`](Self::tidy) does, then only what has expired.
    pub(super) fn tidy_when_due(&mut self, now: u64, limits: &Limits) -> Result<(), StoreError> {
        if !self.stock.is_tidy {
            self.tidy(now, limits)?;
        } else if self.stock.is_due(now, limits) {
            self.expire(now, limits)?;
        }
        Ok(())
    }

    /// Removes what has expired, and what killed processes left behind. Counts artifacts and unfinished files.
    pub(super) fn tidy(&mut self, now: u64, limits: &Limits) -> Result<usize, StoreError> {
        let mut removed = self.expire(now, limits)?;
        let directory = self.vault.directory();
        let entries = directory.entries()?;
        let names: HashSet<&str> = entries.iter().map(|entry| &*entry.name).collect();
        let mut living = HashMap::from([(self.vault.token(), true)]);
        for Entry { name, .. } in entries.iter().filter(|entry| entry.may_be_file) {
            let temporary = lock::temporary_token(name);
            if let Some(token) = temporary.or_else(|| lock::presence_token(name)) {
                let lives = match living.get(token) {
                    Some(lives) => *lives,
                    None => lock::held_by(directory, token)?.is_some(),
                };
                living.insert(token, lives);
                if !lives && directory.open_file(name).is_ok() && directory.remove(name).is_ok() {
                    removed += usize::from(temporary.is_some());
                }
            } else if sidecar::owner(name).is_some_and(|id| !names.contains(id)) {
                // Its process died between the sidecar and the artifact.
                let _ = directory.remove(name);
            }
        }
        self.stock.is_tidy = true;
        Ok(removed)
    }
}

/// Removes the session directories of this user under `root` whose processes are dead. Whatever cannot be
/// told or removed stays.
pub(super) fn dead_sessions(root: &Path) {
    let Ok(entries) = fs::read_dir(root) else { return };
    for entry in entries.flatten() {
        let is_session =
            entry.file_name().to_str().and_then(|name| name.strip_prefix(SESSION)).is_some_and(lock::is_token);
        if is_session {
            // Opening refuses links, and directories of others.
            if let Ok(Some(directory)) = Directory::open(&entry.path()) {
                let _ = clear_if_dead(&directory);
            }
        }
    }
}

fn clear_if_dead(directory: &Directory) -> Result<(), StoreError> {
    let turn = match Turn::open_existing(directory) {
        Ok(turn) => Some(turn),
        Err(error) if error.reason() == StoreReason::NotFound => None,
        Err(error) => return Err(error),
    };
    // A session takes the turn to announce itself.
    if let Some(turn) = &turn {
        if !turn.try_take()? {
            return Ok(());
        }
    }
    let entries = directory.entries()?;
    let tokens: Vec<&str> = entries.iter().filter_map(|entry| lock::presence_token(&entry.name)).collect();
    for token in &tokens {
        if lock::held_by(directory, token)?.is_some() {
            return Ok(());
        }
    }
    if !tokens.is_empty() || directory.idle_seconds()? > BIRTH_SECONDS {
        clear(directory);
    }
    Ok(())
}

/// Removes every file of ours and then the directory, which stays if anything else is in it.
pub(super) fn clear(directory: &Directory) {
    let Ok(entries) = directory.entries() else { return };
    for Entry { name, may_be_file, .. } in &entries {
        let is_ours = name == TURN
            || name::parse(name).is_some()
            || sidecar::owner(name).is_some()
            || lock::temporary_token(name).is_some()
            || lock::presence_token(name).is_some();
        if is_ours && *may_be_file && directory.open_file(name).is_ok() {
            let _ = directory.remove(name);
        }
    }
    let _ = directory.remove_self();
}
