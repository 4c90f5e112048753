//! What cannot be brought about from outside: equal digits of unequal hashes, a file system without the
//! rename flag, a death between two steps.
#![allow(clippy::unwrap_used)]

use std::fs;

use super::{home::Home, lock, sidecar, *};
use crate::artifact::{ArtifactRef, StoreReason};

fn save(store: &LocalStore, meta: &ArtifactMeta, text: &str) -> Result<ArtifactRef, StoreError> {
    let mut writer = store.create(meta)?;
    writer.write(text.as_bytes())?;
    writer.finish(text.chars().count())
}

fn store_with(change: impl FnOnce(&mut Home)) -> LocalStore {
    let mut home = Home::session();
    change(&mut home);
    LocalStore::new(home)
}

/// A kept directory of its own, in that of a session so that it goes with it.
fn kept_store() -> (LocalStore, LocalStore) {
    let session = LocalStore::session();
    save(&session, &ArtifactMeta::text("t", 1), "makes the directory").unwrap();
    let kept = LocalStore::at(session.path().unwrap().join("kept"));
    kept.check().unwrap();
    (session, kept)
}

#[test] // name-fs-prefix-collision
fn contents_whose_hashes_begin_alike_are_two_artifacts() {
    let store = store_with(|home| home.digits_of = |_| "0123456789ab");
    let meta = ArtifactMeta::text("t", 1);
    let ids = ["one", "two", "three"].map(|text| save(&store, &meta, text).unwrap().id);
    assert_eq!(ids, ["t_1_0123456789ab.txt", "t_1_0123456789ab-2.txt", "t_1_0123456789ab-3.txt"]);
    for (id, text) in ids.iter().zip(["one", "two", "three"]) {
        assert_eq!(store.read(id, 0..9).unwrap().bytes, text.as_bytes());
        assert_eq!(save(&store, &meta, text).unwrap().id, *id);
    }
}

#[test]
fn the_fallback_of_the_rename_replaces_nothing_either() {
    let (_session, store) = kept_store();
    let path = store.path().unwrap();
    let directory = directory::Directory::open(&path).unwrap().unwrap();
    fs::write(path.join("a"), "a").unwrap();
    fs::write(path.join("b"), "b").unwrap();
    assert_eq!(directory.link_new("a", "b"), Err(rustix::io::Errno::EXIST));
    directory.link_new("a", "c").unwrap();
    assert!(!path.join("a").exists());
    assert_eq!(fs::read(path.join("b")).unwrap(), b"b");
    assert_eq!(fs::read(path.join("c")).unwrap(), b"a");
    for name in ["b", "c"] {
        fs::remove_file(path.join(name)).unwrap();
    }
    drop(store);
    fs::remove_dir_all(path).unwrap();
}

#[test]
fn a_sidecar_without_its_artifact_is_swept_and_takes_no_name() {
    let (_session, store) = kept_store();
    let path = store.path().unwrap();
    let saved = save(&store, &ArtifactMeta::text("t", 1), "text").unwrap();
    fs::remove_file(path.join(&saved.id)).unwrap();
    let orphan = path.join(sidecar::file_name(&saved.id));
    assert!(orphan.exists());
    assert_eq!(store.sweep(1).unwrap(), 0);
    assert!(!orphan.exists());
    let again = save(&store, &ArtifactMeta::text("t", 1), "text").unwrap();
    assert_eq!(store.read(&again.id, 0..9).unwrap().bytes, b"text");
    drop(store);
    fs::remove_dir_all(path).unwrap();
}

#[test]
fn files_removed_by_hand_make_room() {
    let store = LocalStore::session().max_artifacts(1);
    let saved = save(&store, &ArtifactMeta::text("t", 1), "one").unwrap();
    let full = save(&store, &ArtifactMeta::text("t", 1), "two").unwrap_err();
    assert_eq!(full.reason(), StoreReason::Full);
    fs::remove_file(saved.path.unwrap()).unwrap();
    save(&store, &ArtifactMeta::text("t", 1), "two").unwrap();
}

#[test]
fn the_list_of_held_ids_does_not_grow_for_ever() {
    let (_session, store) = kept_store();
    let path = store.path().unwrap();
    let directory = directory::Directory::open(&path).unwrap().unwrap();
    let presence = lock::Presence::announce(&directory).unwrap();
    let held = |n: usize| format!("t_{n}_0123456789ab.txt");
    for n in 0..6000 {
        presence.hold(&held(n)).unwrap();
    }
    let read = || lock::held_by(&directory, presence.token()).unwrap().unwrap();
    let kept = [held(5), held(7)];
    assert_eq!(read().len(), 6000);
    presence.shrink(kept.iter()).unwrap();
    presence.hold(&held(9)).unwrap();
    assert_eq!(read(), [held(5), held(7), held(9)]);
    let token = presence.token().to_owned();
    drop(presence);
    assert_eq!(lock::held_by(&directory, &token).unwrap(), None);
    drop(store);
    fs::remove_dir_all(path).unwrap();
}
