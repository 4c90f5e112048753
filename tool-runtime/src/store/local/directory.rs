//! A private directory, held open. Everything in it is reached through the descriptor, so that nobody can
//! put another directory in its place.

use std::{
    fs::{DirBuilder, File},
    io,
    os::{
        fd::OwnedFd,
        unix::fs::{DirBuilderExt, MetadataExt},
    },
    path::{Path, PathBuf},
};

use rustix::{
    fs::{self, AtFlags, CWD, Dir, FileType, Mode, OFlags},
    io::Errno,
    process::geteuid,
};

use crate::artifact::{StoreError, StoreReason};

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const PRIVATE_DIRECTORY: Mode = Mode::RWXU;
const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);

pub(super) struct Directory {
    handle: File,
    path: PathBuf,
}

impl Directory {
    /// Opens what is there, `None` if nothing is. `path` has no trailing slash, which would follow a link.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, StoreError> {
        match fs::openat(CWD, path, DIRECTORY, Mode::empty()) {
            Ok(handle) => Self::checked(handle, path).map(Some),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(refusal(error)),
        }
    }

    /// Opens the directory, and makes it first where it does not exist.
    pub(super) fn open_or_make(path: &Path) -> Result<Self, StoreError> {
        if let Some(known) = Self::open(path)? {
            return Ok(known);
        }
        if let Some(parent) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(refusal)?;
        }
        match Self::make(path) {
            // Another process was faster; its directory is checked like any other.
            Ok(None) => Self::open(path)?.ok_or_else(|| StoreReason::Failed.into()),
            Ok(Some(made)) => Ok(made),
            Err(error) => Err(error),
        }
    }

    /// Makes the directory, `None` if something has that name.
    pub(super) fn make(path: &Path) -> Result<Option<Self>, StoreError> {
        match fs::mkdirat(CWD, path, PRIVATE_DIRECTORY) {
            Ok(()) => {}
            Err(Errno::EXIST) => return Ok(None),
            Err(error) => return Err(refusal(error)),
        }
        let handle = match fs::openat(CWD, path, DIRECTORY, Mode::empty()) {
            // An umask that takes the owner's own bits; only then is a mode set by name.
            Err(Errno::ACCESS) => {
                fs::chmodat(CWD, path, PRIVATE_DIRECTORY, AtFlags::empty()).map_err(refusal)?;
                fs::openat(CWD, path, DIRECTORY, Mode::empty())
            }
            opened => opened,
        }
        .map_err(refusal)?;
        fs::fchmod(&handle, PRIVATE_DIRECTORY).map_err(refusal)?;
        Self::checked(handle, path).map(Some)
    }

    fn checked(handle: OwnedFd, path: &Path) -> Result<Self, StoreError> {
        let handle = File::from(handle);
        let found = handle.metadata()?;
        if found.uid() != geteuid().as_raw() || found.mode() & 0o077 != 0 {
            return Err(StoreReason::Denied.into());
        }
        Ok(Self { handle, path: path.to_owned() })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Seconds since the directory last changed, by the machine's clock.
    pub(super) fn idle_seconds(&self) -> io::Result<u64> {
        Ok(self.handle.metadata()?.modified()?.elapsed().unwrap_or_default().as_secs())
    }

    /// Whether the directory still has a name: a cleaner of the temporary directory may have removed it.
    pub(super) fn is_linked(&self) -> bool {
        self.handle.metadata().is_ok_and(|found| found.nlink() > 0)
    }

    /// Makes a file of mode 0600 that nobody had before.
    pub(super) fn create(&self, name: &str) -> Result<File, Errno> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = fs::openat(&self.handle, name, flags, PRIVATE_FILE)?;
        let mode = Mode::from_raw_mode(fs::fstat(&file)?.st_mode);
        if mode != PRIVATE_FILE {
            // The umask took bits of ours; it cannot have added any.
            fs::fchmod(&file, PRIVATE_FILE)?;
        }
        Ok(File::from(file))
    }

    /// Opens a file of the store's own for reading and writing.
    pub(super) fn reopen(&self, name: &str) -> Result<File, StoreError> {
        self.regular(name, OFlags::RDWR)
    }

    /// Opens an artifact for reading. Never blocks, never follows.
    pub(super) fn open_file(&self, name: &str) -> Result<File, StoreError> {
        self.regular(name, OFlags::RDONLY)
    }

    fn regular(&self, name: &str, access: OFlags) -> Result<File, StoreError> {
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match fs::openat(&self.handle, name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(error @ (Errno::LOOP | Errno::MLINK | Errno::NXIO | Errno::ISDIR)) => {
                return Err(StoreError::with_source(StoreReason::NotARegularFile, error.into()));
            }
            Err(error) => return Err(io::Error::from(error).into()),
        };
        let found = file.metadata()?;
        match (found.is_file(), found.nlink()) {
            (false, _) => Err(StoreReason::NotARegularFile.into()),
            (true, 1) => Ok(file),
            // Removed between opening and asking.
            (true, 0) => Err(StoreReason::NotFound.into()),
            (true, _) => Err(StoreReason::LinkCount.into()),
        }
    }

    pub(super) fn remove(&self, name: &str) -> Result<(), Errno> {
        fs::unlinkat(&self.handle, name, AtFlags::empty())
    }

    /// Removes the directory itself if nothing is in it any more.
    pub(super) fn remove_self(&self) -> Result<(), Errno> {
        fs::unlinkat(CWD, &self.path, AtFlags::REMOVEDIR)
    }

    /// Renames, and never replaces: `EXIST` where `to` is taken, by whatever it is.
    pub(super) fn rename_new(&self, from: &str, to: &str) -> Result<(), Errno> {
        #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
        match fs::renameat_with(&self.handle, from, &self.handle, to, fs::RenameFlags::NOREPLACE) {
            // The file system or the kernel does not know the flag.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            known => return known,
        }
        self.link_new(from, to)
    }

    /// The same by a second name and the removal of the first.
    pub(super) fn link_new(&self, from: &str, to: &str) -> Result<(), Errno> {
        fs::linkat(&self.handle, from, &self.handle, to, AtFlags::empty())?;
        self.remove(from).inspect_err(|_| {
            // Without this the file would keep two names, which readers refuse.
            let _ = self.remove(to);
        })
    }

    /// Names and kinds of what is in the directory. Names that are not UTF-8 are nobody's here.
    pub(super) fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in Dir::read_from(&self.handle)? {
            let entry = entry?;
            if let Ok(name) = entry.file_name().to_str() {
                // Some file systems do not tell the kind; then it is asked for where it matters.
                let may_be_file = matches!(entry.file_type(), FileType::RegularFile | FileType::Unknown);
                entries.push(Entry { name: name.to_owned(), may_be_file });
            }
        }
        Ok(entries)
    }
}

pub(super) struct Entry {
    pub(super) name: String,
    pub(super) may_be_file: bool,
}

/// What the system says of a directory, as a reason. A missing parent, a link or a file in its place all
/// mean that the directory is not what it must be.
fn refusal(error: impl Into<io::Error>) -> StoreError {
    let error = error.into();
    match Errno::from_io_error(&error) {
        Some(Errno::NOENT | Errno::NOTDIR | Errno::EXIST | Errno::LOOP | Errno::MLINK | Errno::NAMETOOLONG) => {
            StoreError::with_source(StoreReason::Denied, error)
        }
        _ => error.into(),
    }
}
