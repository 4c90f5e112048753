//! Names: what a tool's name becomes, and what is no id.

use std::{fs, path::Path};

use serde_json::Value;
use tool_runtime::{ArtifactMeta, ArtifactStore, LocalStore, MemoryStore, StoreReason};

use crate::{NOW, id_of, meta, read, reason, save, store_in};

fn rows() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/artifact_name.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn slug(id: &str) -> &str {
    id.rsplitn(3, '_').nth(2).unwrap()
}

fn is_device(slug: &str) -> bool {
    let numbered = |device| slug.strip_prefix(device).is_some_and(|rest| rest.parse::<u8>().is_ok_and(|n| n < 10));
    ["con", "prn", "aux", "nul"].contains(&slug) || numbered("com") || numbered("lpt")
}

#[test]
fn every_tool_name_becomes_a_safe_file_name() {
    let root = tempfile::tempdir().unwrap();
    let store = store_in(root.path());
    let mut checked = 0;
    for row in rows() {
        let (Some(tool), expect) = (row["input"].as_str(), &row["expect"]) else { continue };
        let saved = save(&store, &ArtifactMeta::text(tool, NOW), tool).unwrap();
        let slug = slug(&saved.id);
        let path = saved.path.unwrap();
        assert_eq!(path.canonicalize().unwrap().parent(), Some(&*store.path().unwrap()), "{row}");
        assert!(slug.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-')), "{row}");
        assert!(!slug.is_empty() && slug.len() <= 48 && !is_device(slug), "{row}");
        assert!(saved.id.len() as u64 <= expect["max_file_name_bytes"].as_u64().unwrap(), "{row}");
        if let Some(wanted) = expect["slug"].as_str() {
            assert_eq!(slug, wanted, "{row}");
        }
        if let Some(prefix) = expect["slug_not_prefix"].as_str() {
            assert!(!slug.starts_with(prefix), "{row}");
        }
        for taken in expect["not_equal"].as_array().into_iter().flatten() {
            assert_ne!(saved.id, taken.as_str().unwrap());
        }
        assert_eq!(read(&store, &saved.id).unwrap(), tool, "{row}");
        checked += 1;
    }
    assert!(checked >= 28);
}

#[test]
fn what_is_no_id_is_refused_whether_or_not_there_is_a_directory() {
    let root = tempfile::tempdir().unwrap();
    let stores: [&dyn ArtifactStore; 3] = [&store_in(root.path()), &LocalStore::session(), &MemoryStore::new(100)];
    let rows = rows();
    let ids: Vec<&str> = rows.iter().filter_map(|row| row["input"]["read_id"].as_str()).collect();
    assert!(ids.len() >= 6);
    for store in stores {
        for id in
            ids.iter().chain(&["/etc/x_1_0123456789ab.txt", "./x_1_0123456789ab.txt", "a/../x_1_0123456789ab.txt"])
        {
            assert_eq!(reason(store.read(id, 0..1)), StoreReason::InvalidId, "{id:?}");
            assert_eq!(reason(store.delete(id)), StoreReason::InvalidId, "{id:?}");
        }
        assert_eq!(reason(store.read("x_1_0123456789ab.txt", 0..1)), StoreReason::NotFound);
    }
}

#[test]
fn the_path_that_was_shown_reads_like_the_id() {
    let root = tempfile::tempdir().unwrap();
    let session = LocalStore::session();
    for store in [&store_in(root.path()), &session] {
        let saved = save(store, &meta(), "text").unwrap();
        let path = saved.path.unwrap().into_os_string().into_string().unwrap();
        assert_eq!(saved.id, id_of("text"));
        assert_eq!(read(store, &path).unwrap(), "text");
        let elsewhere = path.replace(&saved.id, "sub/") + &saved.id;
        assert_eq!(reason(store.read(&elsewhere, 0..1)), StoreReason::InvalidId);
    }
    let path = session.path().unwrap();
    drop(session);
    assert!(!path.exists());
}

#[test]
fn the_extension_follows_the_media_type() {
    let store = LocalStore::session();
    let extension = |id: &str| Path::new(id).extension().and_then(|it| it.to_str()).map(str::to_owned);
    let json = save(&store, &ArtifactMeta::json("t", NOW), "{}").unwrap();
    assert_eq!(extension(&json.id), Some("json".into()));
    assert_eq!(store.read(&json.id, 0..0).unwrap().meta.media_type, "application/json");
    assert_eq!(extension(&save(&store, &ArtifactMeta::text("t", NOW), "{}").unwrap().id), Some("txt".into()));
}
