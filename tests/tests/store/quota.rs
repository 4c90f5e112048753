//! Limits: what is refused, what goes first, what stays.

use std::{fs, os::unix::fs::symlink, path::Path, process::Command, time::Duration};

use tool_runtime::{ArtifactMeta, ArtifactStore, LocalStore, StoreReason};

use crate::{NOW, meta, names, read, reason, save, saved_files, store_in};

fn at(created: u64) -> ArtifactMeta {
    ArtifactMeta::text("t", created)
}

fn bytes_in(directory: &Path) -> u64 {
    names(directory).iter().map(|name| fs::symlink_metadata(directory.join(name)).unwrap().len()).sum()
}

#[test] // name-fs-quota
fn a_full_store_refuses_and_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    let store = store_in(root.path()).max_store_bytes(1 << 20);
    for (letter, is_saved) in [("a", true), ("b", false), ("c", false)] {
        let saved = save(&store, &meta(), &letter.repeat(600 * 1024));
        assert_eq!(saved.is_ok(), is_saved);
        if let Err(error) = saved {
            assert_eq!(error.to_string(), "store is full");
        }
        assert!(bytes_in(&store.path().unwrap()) <= 1 << 20);
        assert_eq!(saved_files(&store.path().unwrap()).len(), 2);
    }
    // What is there already needs no room.
    assert!(save(&store, &meta(), &"a".repeat(600 * 1024)).is_ok());
    assert!(save(&store, &meta(), &"d".repeat(424 * 1024)).is_ok());
}

#[test]
fn a_large_artifact_is_refused_while_it_is_written() {
    let root = tempfile::tempdir().unwrap();
    for (limit, full) in [(3 << 20, StoreReason::TooLarge), (u64::MAX, StoreReason::Full)] {
        let store = store_in(root.path()).max_artifact_bytes(limit).max_store_bytes(4 << 20);
        let mut writer = store.create(&meta()).unwrap();
        let block = vec![b'x'; 100_000];
        let error = (0..100).find_map(|_| writer.write(&block).err()).unwrap();
        assert_eq!(error.reason(), full);
        assert_eq!(reason(writer.write(b"")), full);
        assert!(saved_files(&store.path().unwrap()).is_empty());
        assert_eq!(reason(writer.finish(0)), full);
        assert_eq!(save(&store, &meta(), &"y".repeat(3 << 20)).unwrap().chars, 3 << 20);
        store.delete(&store.list().unwrap()[0].id).unwrap();
        assert!(saved_files(&store.path().unwrap()).is_empty());
    }
}

#[test]
fn dropping_or_aborting_a_writer_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    let store = store_in(root.path()).max_store_bytes(3 << 20);
    for abort in [false, true] {
        let mut writer = store.create(&meta()).unwrap();
        writer.write(&vec![b'x'; 2 << 20]).unwrap();
        assert_eq!(saved_files(&store.path().unwrap()).len(), 1);
        if abort {
            writer.abort();
        } else {
            drop(writer);
        }
        assert!(saved_files(&store.path().unwrap()).is_empty());
    }
    // Nor does it keep its part of the quota.
    save(&store, &meta(), &"y".repeat(3 << 20)).unwrap();
}

#[test]
fn p07_count_size_and_age_hold_after_each_save() {
    let root = tempfile::tempdir().unwrap();
    let limited = store_in(root.path()).max_artifacts(5).max_store_bytes(1 << 20).max_age(Duration::from_secs(100));
    let mut first = None;
    for n in 0..200 {
        let saved = save(&limited, &at(NOW + n), &format!("{n} ").repeat(2000));
        // Every 100 seconds the five of the last hundred have expired.
        assert_eq!(saved.is_ok(), n % 100 < 5, "{n}");
        assert_eq!(
            saved.as_ref().err().map(tool_runtime::StoreError::reason),
            (n % 100 >= 5).then_some(StoreReason::Full)
        );
        assert!(limited.list().unwrap().len() <= 5 && bytes_in(&limited.path().unwrap()) <= 1 << 20);
        first = first.or(saved.ok());
    }
    assert_eq!(reason(limited.read(&first.unwrap().id, 0..1)), StoreReason::NotFound);
}

#[test]
fn p07_what_a_living_session_points_to_is_never_removed() {
    let root = tempfile::tempdir().unwrap();
    let store = store_in(root.path()).max_artifacts(2).max_age(Duration::from_secs(10));
    let kept = save(&store, &at(NOW).with_session("s"), "kept").unwrap();
    save(&store, &at(NOW), "loose").unwrap();
    assert_eq!(store.sweep(NOW + 11).unwrap(), 1);
    assert_eq!(store.sweep(NOW + 1_000_000).unwrap(), 0);
    save(&store, &at(NOW + 11), "next").unwrap();
    assert_eq!(reason(save(&store, &at(NOW + 12), "too many")), StoreReason::Full);
    assert_eq!(read(&store, &kept.id).unwrap(), "kept");

    // Another store on the same directory respects it, too, as long as this one lives.
    let other = LocalStore::at(store.path().unwrap()).max_age(Duration::from_secs(10)).max_artifacts(2);
    assert_eq!(other.sweep(NOW + 1_000_000).unwrap(), 1);
    assert_eq!(read(&other, &kept.id).unwrap(), "kept");
    drop(store);
    assert_eq!(other.sweep(NOW + 1_000_000).unwrap(), 1);
    assert_eq!(reason(other.read(&kept.id, 0..1)), StoreReason::NotFound);
}

#[test]
fn when_full_expired_artifacts_go_first_then_those_of_the_dead() {
    let root = tempfile::tempdir().unwrap();
    let open = || store_in(root.path()).max_artifacts(3).max_age(Duration::from_secs(100));
    let dead = open();
    let ids = [NOW, NOW + 50, NOW + 60].map(|created| save(&dead, &at(created), &created.to_string()).unwrap().id);
    drop(dead);
    let store = open();
    let exists = |id: &str| store.read(id, 0..1).is_ok();
    save(&store, &at(NOW + 100), "1").unwrap();
    assert_eq!(ids.each_ref().map(|id| exists(id)), [false, true, true]);
    save(&store, &at(NOW + 101), "2").unwrap();
    assert_eq!(ids.each_ref().map(|id| exists(id)), [false, false, true]);
    // Found again, so pointed to again.
    assert_eq!(save(&store, &at(NOW + 102), &(NOW + 60).to_string()).unwrap().id, ids[2]);
    assert_eq!(reason(save(&store, &at(NOW + 103), "3")), StoreReason::Full);
}

#[test] // name-fs-gc-foreign
fn foreign_files_are_neither_removed_nor_counted() {
    let root = tempfile::tempdir().unwrap();
    let store = store_in(root.path()).max_store_bytes(10_000).max_age(Duration::from_secs(1));
    let directory = store.path().unwrap();
    let foreign = |name: &str| directory.join(name);
    let is_lock = |name: &str| name == ".lock" || name.starts_with(".live-") && name != ".live-notes";
    for name in
        ["notes.txt", ".hidden", ".tmp-notes", ".live-notes", ".x.meta", "t_1_0123456789ab.txt", "t_1_0123456789ab.bak"]
    {
        fs::write(foreign(name), "x".repeat(20_000)).unwrap();
    }
    fs::create_dir(foreign("sub")).unwrap();
    fs::write(foreign("sub/t_1_0123456789ab.txt"), "x").unwrap();
    fs::create_dir(foreign("t_2_0123456789ab.txt")).unwrap();
    symlink("notes.txt", foreign("t_3_0123456789ab.txt")).unwrap();
    symlink("notes.txt", foreign("link")).unwrap();
    let before: Vec<_> = names(&directory).into_iter().filter(|name| !is_lock(name)).collect();
    for n in 0..5 {
        save(&store, &at(NOW + n), &n.to_string().repeat(9000)).unwrap();
    }
    assert_eq!(store.sweep(NOW + 1000).unwrap(), 1);
    drop(store);
    let after: Vec<_> = names(&directory).into_iter().filter(|name| !is_lock(name)).collect();
    assert_eq!(after, before);
}

#[test] // name-fs-enospc
fn a_full_disk_is_a_reason_and_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    let disk = root.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs"]).arg(&disk).output();
    if !mount.is_ok_and(|mount| mount.status.success()) {
        eprintln!("skipped: a small tmpfs cannot be mounted here");
        return;
    }
    let _mounted = Mounted(&disk);
    let store = LocalStore::at(&disk);
    let small = save(&store, &meta(), "small").unwrap();
    let before = names(&disk);
    for size in [1 << 20, 3 << 20, 200_000] {
        let error = save(&store, &meta(), &"x".repeat(size)).unwrap_err();
        assert_eq!(error.to_string(), "disk is full");
        assert_eq!(names(&disk), before);
    }
    // Up to the last page: at some point the sidecar does not fit, or the list of what is held.
    let full = (0..200).find_map(|n| save(&store, &meta(), &n.to_string()).err()).unwrap();
    assert_eq!(full.reason(), StoreReason::DiskFull);
    assert!(!names(&disk).iter().any(|name| name.starts_with(".tmp-")));
    for entry in store.list().unwrap() {
        assert!(read(&store, &entry.id).is_ok());
    }
    assert_eq!(read(&store, &small.id).unwrap(), "small");
}

/// Also when the test fails. Detached at once, whatever is still open.
struct Mounted<'a>(&'a Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        assert!(Command::new("umount").arg("-l").arg(self.0).status().unwrap().success());
    }
}
