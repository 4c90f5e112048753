//! How long something is kept, and how much.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use object_store::{ObjectStoreExt, path::Path};
use tool_runtime::{ArtifactMeta, ArtifactStore, StoreReason};

use crate::{
    NOW, PART, ids, meta, numbered, read, reason, save,
    server::{Server, block_on},
};

const HOUR: u64 = 60 * 60;

#[test]
fn deleting_leaves_nothing() {
    let server = Server::start();
    let store = server.store();
    for text in ["short", &numbered(PART + 1)] {
        let saved = save(&store, &meta(), text).unwrap();
        store.delete(&saved.id).unwrap();
        assert_eq!(server.keys(), [""; 0]);
        assert_eq!(reason(store.read(&saved.id, 0..1)), StoreReason::NotFound);
        assert_eq!(reason(store.delete(&saved.id)), StoreReason::NotFound);
        assert_eq!(save(&store, &meta(), text).unwrap(), saved);
        store.delete(&saved.id).unwrap();
    }
}

#[test]
fn what_has_expired_is_swept_with_its_body() {
    let server = Server::start();
    let store = server.store().max_age(Duration::from_secs(HOUR));
    let long = numbered(PART + 1);
    save(&store, &meta(), "short").unwrap();
    save(&store, &meta(), &long).unwrap();
    let late = save(&store, &ArtifactMeta::text("late", NOW + 1), &long).unwrap();
    assert_eq!(store.sweep(NOW + HOUR - 1).unwrap(), 0);
    assert_eq!(ids(&store).len(), 3);
    assert_eq!(store.sweep(NOW + HOUR).unwrap(), 2);
    assert_eq!(ids(&store), [&*late.id]);
    assert!(read(&store, &late.id).unwrap() == long);
    assert_eq!(store.sweep(NOW + HOUR + 1).unwrap(), 1);
    assert_eq!(server.keys(), [""; 0]);
}

#[test]
fn abandoned_bodies_go_after_an_hour_and_strangers_stay() {
    let server = Server::start();
    let store = server.store();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let text = numbered(PART + 1);
    let saved = save(&store, &ArtifactMeta::text("t", now), &text).unwrap();
    let strangers = ["note.txt", "bodies/note.txt", "0123456789ab/x_1_ba9876543210.txt"];
    for key in ["bodies/0123456789abcdef0123456789abcdef"].iter().chain(&strangers) {
        block_on(server.objects().put(&Path::from(format!("agents/{key}")), "x".into())).unwrap();
    }
    assert_eq!(store.sweep(now + HOUR - 60).unwrap(), 0);
    assert_eq!(store.sweep(now + HOUR + 60).unwrap(), 1);
    assert!(read(&store, &saved.id).unwrap() == text);
    assert_eq!(store.list().unwrap().len(), 1);
    store.delete(&saved.id).unwrap();
    assert_eq!(server.keys().len(), strangers.len());
}

#[test]
fn the_oldest_comes_first_in_a_list() {
    let server = Server::start();
    let store = server.store();
    let times = [5, 3, 4, 1, 2, 3_000_000_000];
    for time in times {
        save(&store, &ArtifactMeta::text("t", time), &time.to_string()).unwrap();
    }
    let listed: Vec<_> = store.list().unwrap().iter().map(|entry| entry.meta.created).collect();
    assert_eq!(listed, [1, 2, 3, 4, 5, 3_000_000_000]);
}

#[test]
fn an_artifact_that_is_too_large_leaves_nothing() {
    let server = Server::start();
    for limit in [10, PART as u64 + 10] {
        let store = server.store().max_artifact_bytes(limit);
        let text = numbered(usize::try_from(limit).unwrap() + 1);
        assert_eq!(reason(save(&store, &meta(), &text)), StoreReason::TooLarge);
        let mut writer = store.create(&meta()).unwrap();
        assert_eq!(reason(writer.write(text.as_bytes())), StoreReason::TooLarge);
        assert_eq!(reason(writer.write(b"x")), StoreReason::TooLarge);
        assert_eq!(reason(writer.finish(1)), StoreReason::TooLarge);
        assert_eq!((server.keys(), server.unfinished()), (Vec::new(), 0));
        save(&store, &meta(), &text[1..]).unwrap();
        let id = ids(&store).remove(0);
        store.delete(&id).unwrap();
    }
}

#[test]
fn a_full_store_refuses_until_something_expires() {
    let server = Server::start();
    let store = server.store().max_store_bytes(10).max_age(Duration::from_secs(60));
    let at = |time| ArtifactMeta::text("t", time);
    assert_eq!(reason(save(&store, &at(0), "01234567890")), StoreReason::Full);
    save(&store, &at(0), "012345").unwrap();
    save(&store, &at(1), "012345").unwrap();
    assert_eq!(reason(save(&store, &at(59), "abcdef")), StoreReason::Full);
    save(&store, &at(60), "abcdef").unwrap();
    assert_eq!(ids(&store).len(), 1);
    let store = store.max_store_bytes(PART as u64);
    assert_eq!(reason(save(&store, &at(61), &numbered(PART + 1))), StoreReason::Full);
    assert_eq!(server.keys().len(), 1);
}

#[test]
fn a_save_that_is_given_up_leaves_nothing() {
    let server = Server::start();
    let store = server.store();
    let text = numbered(3 * PART);
    let mut writer = store.create(&meta()).unwrap();
    writer.write(text.as_bytes()).unwrap();
    assert!(server.unfinished() > 0);
    writer.abort();
    assert_eq!((server.keys(), server.unfinished()), (Vec::new(), 0));
    let mut writer = store.create(&meta()).unwrap();
    writer.write(text.as_bytes()).unwrap();
    drop(writer);
    assert_eq!((server.keys(), server.unfinished()), (Vec::new(), 0));
}
