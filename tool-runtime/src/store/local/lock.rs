//! Who is alive, and whose turn it is. Both are advisory locks on files in the store's directory: the system
//! releases them when a process dies, however it dies.

use std::{
    fs::File,
    io::Read,
    os::unix::fs::FileExt,
    thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};

use super::directory::Directory;
use crate::{
    artifact::{StoreError, StoreReason},
    store::digest::hex,
};

/// The file whose lock is held while the directory's contents change.
pub(super) const TURN: &str = ".lock";
const PRESENCE: &str = ".live-";
const TEMPORARY: &str = ".tmp-";
/// A list of held ids below this length is never worth shortening.
const LIST_BYTES: u64 = 64 * 1024;
const TOKEN_DIGITS: usize = 16;
/// A turn takes milliseconds. A process that was stopped in the middle of one must not hang the others.
const PATIENCE: Duration = Duration::from_secs(5);

/// Gives the turns. Its file also counts the changes, so that processes notice each other's.
pub(super) struct Turn(File);

impl Turn {
    pub(super) fn open(directory: &Directory) -> Result<Self, StoreError> {
        loop {
            match directory.create(TURN) {
                Ok(file) => return Ok(Self(file)),
                Err(Errno::EXIST) => {}
                Err(error) => return Err(std::io::Error::from(error).into()),
            }
            match Self::open_existing(directory) {
                // Removed since, with its directory or by hand.
                Err(error) if error.reason() == StoreReason::NotFound => {}
                opened => return opened,
            }
        }
    }

    pub(super) fn open_existing(directory: &Directory) -> Result<Self, StoreError> {
        directory.reopen(TURN).map(Self)
    }

    /// Waits for the turn, at most five seconds.
    pub(super) fn take(&self) -> Result<(), StoreError> {
        let mut pause = Duration::from_micros(50);
        let start = Instant::now();
        while !self.try_take()? {
            if start.elapsed() > PATIENCE {
                return Err(StoreReason::Failed.into());
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
        Ok(())
    }

    pub(super) fn try_take(&self) -> Result<bool, StoreError> {
        try_lock(&self.0)
    }

    pub(super) fn give_back(&self) {
        // Fails only for what is no file descriptor.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }

    /// Number of changes so far; 0 for a directory that nothing changed yet.
    pub(super) fn changes(&self) -> u64 {
        let mut count = [0; 8];
        match self.0.read_exact_at(&mut count, 0) {
            Ok(()) => u64::from_le_bytes(count),
            Err(_) => 0,
        }
    }

    pub(super) fn set_changes(&self, changes: u64) -> std::io::Result<()> {
        self.0.write_all_at(&changes.to_le_bytes(), 0)
    }
}

/// One open store. While it lives, its file is locked; the file lists the artifacts it points to.
pub(super) struct Presence {
    file: File,
    token: String,
}

impl Presence {
    /// To be called in a turn: nobody may find the file before it is locked.
    pub(super) fn announce(directory: &Directory) -> Result<Self, StoreError> {
        let token = random_token()?;
        let file = directory.create(&presence_name(&token)).map_err(std::io::Error::from)?;
        if try_lock(&file)? { Ok(Self { file, token }) } else { Err(StoreReason::Failed.into()) }
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Tells the other processes that somebody here may still read `id`.
    pub(super) fn hold(&self, id: &str) -> std::io::Result<()> {
        let end = self.file.metadata()?.len();
        self.file.write_all_at(format!("{id}\n").as_bytes(), end).inspect_err(|_| {
            // Half a line would spoil the next one.
            let _ = self.file.set_len(end);
        })
    }

    /// Forgets all but `held` once the list has become much longer than that.
    pub(super) fn shrink<'a>(&self, held: impl Iterator<Item = &'a String>) -> std::io::Result<()> {
        let text: String = held.flat_map(|id| [id, "\n"]).collect();
        let is_worth_it = self.file.metadata()?.len() > 2 * text.len() as u64 + LIST_BYTES;
        if is_worth_it { self.shorten(&text) } else { Ok(()) }
    }

    /// Forgets all but `held`, which it knows already.
    pub(super) fn rewrite<'a>(&self, held: impl Iterator<Item = &'a String>) -> std::io::Result<()> {
        self.shorten(&held.flat_map(|id| [id, "\n"]).collect::<String>())
    }

    /// It only becomes shorter, so that a full disk is no trouble.
    fn shorten(&self, text: &str) -> std::io::Result<()> {
        self.file.write_all_at(text.as_bytes(), 0)?;
        self.file.set_len(text.len() as u64)
    }

    pub(super) fn leave(&self, directory: &Directory) {
        let _ = directory.remove(&presence_name(&self.token));
    }
}

/// What another store's presence file says: `None` if its process is dead, or it left. When that cannot be
/// told, an error: then nothing may be removed.
pub(super) fn held_by(directory: &Directory, token: &str) -> Result<Option<Vec<String>>, StoreError> {
    let file = match directory.reopen(&presence_name(token)) {
        Ok(file) => file,
        Err(error) => {
            return match error.reason() {
                StoreReason::NotFound | StoreReason::NotARegularFile | StoreReason::LinkCount => Ok(None),
                _ => Err(error),
            };
        }
    };
    if try_lock(&file)? {
        return Ok(None);
    }
    let mut text = String::new();
    // A file opened here starts at its beginning.
    (&file).read_to_string(&mut text)?;
    Ok(Some(text.lines().map(str::to_owned).collect()))
}

pub(super) fn presence_name(token: &str) -> String {
    format!("{PRESENCE}{token}")
}

/// The token in the name of a presence file.
pub(super) fn presence_token(name: &str) -> Option<&str> {
    name.strip_prefix(PRESENCE).filter(|token| is_token(token))
}

/// `.tmp-{pid}-{token}-{number}`: the process is there for whoever looks, the token for [`held_by`].
pub(super) fn temporary_name(token: &str, number: u64) -> String {
    format!("{TEMPORARY}{}-{token}-{number}", std::process::id())
}

/// The token in the name of a temporary file.
pub(super) fn temporary_token(name: &str) -> Option<&str> {
    let (process, rest) = name.strip_prefix(TEMPORARY)?.split_once('-')?;
    let (token, number) = rest.split_once('-')?;
    let are_numbers = [process, number].iter().all(|text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()));
    (are_numbers && is_token(token)).then_some(token)
}

pub(super) fn is_token(text: &str) -> bool {
    text.len() == TOKEN_DIGITS && is_hex(text)
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

pub(super) fn random_token() -> Result<String, StoreError> {
    let mut bytes = [0; TOKEN_DIGITS / 2];
    getrandom::fill(&mut bytes).map_err(|_| StoreReason::Failed)?;
    Ok(hex(&bytes))
}

fn try_lock(file: &File) -> Result<bool, StoreError> {
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => return Ok(false),
            Err(Errno::INTR) => {}
            Err(error) => return Err(std::io::Error::from(error).into()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_temporary_files_are_recognised() {
        let token = random_token().unwrap();
        assert_eq!(temporary_token(&temporary_name(&token, 7)), Some(&*token));
        assert_eq!(presence_token(&presence_name(&token)), Some(&*token));
        for name in [".tmp-", ".tmp-1", ".tmp-1-2-3", ".tmp-abc", ".tmp--0123456789abcdef-1", ".live-x", "tmp"] {
            assert_eq!((temporary_token(name), presence_token(name)), (None, None), "{name}");
        }
    }
}
