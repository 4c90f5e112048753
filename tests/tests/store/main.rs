//! The stores, through the public interface. Rows of `cases/artifact_name.json` are named in the tests.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod ids;
mod lifetime;
mod processes;
mod quota;
mod safety;
mod threads;

use std::{fmt::Write, fs, path::Path};

use sha2::{Digest, Sha256};
use tool_runtime::{ArtifactMeta, ArtifactRef, ArtifactStore, LocalStore, StoreError, StoreReason};

/// Some second in March 2024.
const NOW: u64 = 1_711_900_000;

fn meta() -> ArtifactMeta {
    ArtifactMeta::text("query_database", NOW)
}

fn save(store: &dyn ArtifactStore, meta: &ArtifactMeta, text: &str) -> Result<ArtifactRef, StoreError> {
    let mut writer = store.create(meta)?;
    writer.write(text.as_bytes())?;
    writer.finish(text.chars().count())
}

fn read(store: &dyn ArtifactStore, id: &str) -> Result<String, StoreReason> {
    let artifact = store.read(id, 0..u64::MAX).map_err(|error| error.reason())?;
    Ok(String::from_utf8(artifact.bytes).unwrap())
}

fn reason<T>(result: Result<T, StoreError>) -> StoreReason {
    match result {
        Ok(_) => panic!("must be refused"),
        Err(error) => error.reason(),
    }
}

/// Text of which each piece says where it is: `n` lines of eight bytes.
fn numbered_lines(n: usize) -> String {
    (0..n).fold(String::new(), |mut text, line| {
        writeln!(text, "{line:07}").unwrap();
        text
    })
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// The id that `text` gets when nothing is in the way.
fn id_of(text: &str) -> String {
    format!("query_database_{NOW}_{}.txt", &sha256(text.as_bytes())[..12])
}

/// A store in a fresh private directory below `root`.
fn store_in(root: &Path) -> LocalStore {
    let store = LocalStore::at(root.join("store"));
    store.check().unwrap();
    store
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Files of artifacts and of saves: neither locks nor presence.
fn saved_files(directory: &Path) -> Vec<String> {
    names(directory).into_iter().filter(|name| name != ".lock" && !name.starts_with(".live-")).collect()
}
