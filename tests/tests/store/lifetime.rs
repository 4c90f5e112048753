//! How long things last: a session's directory, the first name of equal content, a removed directory.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use tool_runtime::{ArtifactMeta, ArtifactStore, LocalStore, Trust};

use crate::{NOW, meta, read, save, saved_files, store_in};

#[test]
fn a_sessions_directory_is_made_at_the_first_save_and_goes_with_the_last_clone() {
    let store = LocalStore::session();
    assert_eq!(store.path(), None);
    assert!(store.list().unwrap().is_empty());
    let saved = save(&store, &meta(), "text").unwrap();
    let directory = store.path().unwrap();
    let clone = store.clone();
    let writer = store.create(&meta()).unwrap();
    drop(store);
    assert_eq!(read(&clone, &saved.id).unwrap(), "text");
    drop(clone);
    assert!(directory.exists(), "a save is in progress");
    writer.finish(0).unwrap();
    assert!(!directory.exists());
}

#[test]
fn p04_directory_and_files_are_private() {
    let root = tempfile::tempdir().unwrap();
    for store in [LocalStore::session(), store_in(root.path()), LocalStore::at(root.path().join("made/on/the/way"))] {
        let saved = save(&store, &meta(), &"x".repeat(2 << 20)).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        let directory = store.path().unwrap();
        assert_eq!(mode(&directory), 0o700);
        assert_eq!(saved.path.unwrap().parent().unwrap(), directory);
        for entry in fs::read_dir(&directory).unwrap() {
            assert_eq!(mode(&entry.unwrap().path()), 0o600);
        }
    }
}

#[test]
fn the_same_content_again_keeps_the_first_name() {
    let root = tempfile::tempdir().unwrap();
    let small = "text".to_owned();
    let large = "text".repeat(1 << 20);
    let first = store_in(root.path());
    // Twice by one store, then by a second one beside it, then by one that comes later.
    let second = store_in(root.path());
    for text in [small, large] {
        let saved = save(&first, &meta(), &text).unwrap();
        let files = saved_files(&first.path().unwrap());
        for store in [&first, &second, &store_in(root.path())] {
            assert_eq!(save(store, &ArtifactMeta::text("query_database", NOW + 5), &text).unwrap(), saved);
        }
        assert_eq!(saved_files(&first.path().unwrap()), files);
    }
}

#[test]
fn another_source_is_another_artifact() {
    let root = tempfile::tempdir().unwrap();
    let store = store_in(root.path());
    let sources = [
        meta(),
        meta().with_trust(Trust::External),
        meta().with_session("a"),
        meta().with_session("b"),
        ArtifactMeta::text("Query_Database", NOW),
        ArtifactMeta::json("query_database", NOW),
    ];
    let ids: Vec<_> = sources.iter().map(|meta| save(&store, meta, "{}").unwrap().id).collect();
    for (id, source) in ids.iter().zip(&sources) {
        let found = store.read(id, 0..9).unwrap();
        assert_eq!((&found.meta, &*found.bytes), (source, &b"{}"[..]));
    }
    assert_eq!(store.list().unwrap().len(), sources.len());
}

#[test]
fn a_removed_directory_is_made_again() {
    let root = tempfile::tempdir().unwrap();
    for store in [LocalStore::session(), store_in(root.path())] {
        let lost = save(&store, &meta(), "text").unwrap();
        fs::remove_dir_all(store.path().unwrap()).unwrap();
        assert!(store.read(&lost.id, 0..1).is_err());
        let saved = save(&store, &meta(), "text").unwrap();
        assert_eq!(read(&store, &saved.id).unwrap(), "text");
    }
}

#[test]
fn an_empty_result_is_an_artifact_too() {
    let store = LocalStore::session();
    let saved = save(&store, &meta(), "").unwrap();
    assert_eq!(saved.id, crate::id_of(""));
    assert_eq!(read(&store, &saved.id).unwrap(), "");
}

#[test]
fn a_store_can_be_listed_without_being_changed() {
    let root = tempfile::tempdir().unwrap();
    let store = LocalStore::at(root.path().join("store"));
    assert!(store.list().unwrap().is_empty() && store.sweep(NOW).unwrap() == 0);
    assert!(!store.path().unwrap().exists());
    assert!(!store.is_shared() && store.clone().shared().is_shared() && store.blocks());
    for (n, created) in [(0, NOW + 9), (1, NOW), (2, NOW + 3)] {
        save(&store, &ArtifactMeta::text("t", created), &n.to_string()).unwrap();
    }
    let listed: Vec<_> = store.list().unwrap().into_iter().map(|entry| (entry.meta.created, entry.size)).collect();
    assert_eq!(listed, [(NOW, 1), (NOW + 3, 1), (NOW + 9, 1)]);
}
