//! What lies in the directory, as far as it is ours: sizes for the quota, digits to find the same content.

use std::{
    collections::{HashMap, HashSet},
    io,
};

use super::{
    Limits,
    directory::{Directory, Entry},
    sidecar,
};
use crate::store::name;

#[derive(Default)]
pub(super) struct Stock {
    items: HashMap<String, u64>,
    by_digits: HashMap<String, Vec<String>>,
    bytes: u64,
    /// Ids that this store gave out, and that it may be asked for again; each with its session.
    own: HashMap<String, Option<String>>,
    /// Whether what the dead left was removed once.
    pub(super) is_tidy: bool,
    /// The directory's count of changes at the last look; `None` before the first.
    pub(super) seen: Option<u64>,
    /// When the oldest artifact was made that may expire (Unix seconds).
    oldest: Option<u64>,
}

impl Stock {
    /// Looks at everything. Ours is a regular file with an id for a name and a sidecar beside it; what else
    /// may be there belongs to somebody else, and is neither counted nor removed.
    pub(super) fn look(&mut self, directory: &Directory) -> io::Result<()> {
        let entries = directory.entries()?;
        let sidecars: HashSet<&str> = entries.iter().filter_map(|entry| sidecar::owner(&entry.name)).collect();
        let before = std::mem::take(&mut self.items);
        (self.bytes, self.oldest) = (0, None);
        self.by_digits.clear();
        for Entry { name: id, may_be_file, .. } in &entries {
            if !may_be_file || !sidecars.contains(&**id) {
                continue;
            }
            let size = match before.get(id) {
                Some(size) => *size,
                None => match directory.open_file(id).ok().and_then(|file| file.metadata().ok()) {
                    Some(found) => found.len(),
                    None => continue,
                },
            };
            self.add(id, size);
        }
        Ok(())
    }

    pub(super) fn add(&mut self, id: &str, size: u64) {
        let Some(name) = name::parse(id) else { return };
        if self.items.insert(id.to_owned(), size).is_some() {
            return;
        }
        self.bytes += size;
        self.oldest = Some(self.oldest.map_or(name.created, |oldest| oldest.min(name.created)));
        self.by_digits.entry(name.digits.to_owned()).or_default().push(id.to_owned());
    }

    pub(super) fn forget(&mut self, id: &str) {
        let (Some(size), Some(name)) = (self.items.remove(id), name::parse(id)) else { return };
        self.bytes -= size;
        self.own.remove(id);
        if let Some(ids) = self.by_digits.get_mut(name.digits) {
            ids.retain(|other| other != id);
            if ids.is_empty() {
                self.by_digits.remove(name.digits);
            }
        }
    }

    /// Whether somebody in this process may ask for the artifact again.
    pub(super) fn is_held(&self, id: &str) -> bool {
        self.own.contains_key(id)
    }

    /// False where it was held before.
    pub(super) fn hold(&mut self, id: &str, session: Option<&str>) -> bool {
        self.own.insert(id.to_owned(), session.map(str::to_owned)).is_none()
    }

    pub(super) fn release(&mut self, id: &str) {
        self.own.remove(id);
    }

    /// Lets go of what the session saved; gives whether there was anything.
    pub(super) fn release_session(&mut self, session: &str) -> bool {
        let before = self.own.len();
        self.own.retain(|_, of| of.as_deref() != Some(session));
        self.own.len() < before
    }

    pub(super) fn held(&self) -> impl Iterator<Item = &String> {
        self.own.keys()
    }

    pub(super) fn contains(&self, id: &str) -> bool {
        self.items.contains_key(id)
    }

    /// The ids whose content has these digits.
    pub(super) fn with_digits(&self, digits: &str) -> Vec<String> {
        self.by_digits.get(digits).cloned().unwrap_or_default()
    }

    /// Whether one more artifact and `adding` more bytes are within the limits.
    pub(super) fn has_room(&self, adding: u64, limits: &Limits) -> bool {
        self.bytes.checked_add(adding).is_some_and(|bytes| bytes <= limits.store_bytes)
            && limits.artifacts.is_none_or(|most| self.items.len() < most)
    }

    /// Whether a look for expired artifacts may find one.
    pub(super) fn is_due(&self, now: u64, limits: &Limits) -> bool {
        self.oldest.is_some_and(|oldest| limits.is_expired(oldest, now))
    }

    /// Leaves out of [`is_due`](Self::is_due) what has expired at `now` but must stay.
    pub(super) fn looked_for_expired(&mut self, now: u64, limits: &Limits) {
        self.oldest = self.by_age().into_iter().map(|(created, _)| created).find(|it| !limits.is_expired(*it, now));
    }

    /// Everything, the oldest first.
    pub(super) fn by_age(&self) -> Vec<(u64, String)> {
        let mut all: Vec<_> = self.items.keys().filter_map(|id| Some((name::parse(id)?.created, id.clone()))).collect();
        all.sort();
        all
    }
}
