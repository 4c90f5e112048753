//! Where artifacts lie, what ids they get, and what is known of them.

use std::{collections::BTreeMap, sync::Arc};

use object_store::{Attribute, GetOptions, ObjectStore as Objects, ObjectStoreExt, local::LocalFileSystem, path::Path};
use tool_runtime::{ArtifactMeta, ArtifactStore, MemoryStore, ObjectStore, StoreReason, Trust};

use crate::{
    NOW, PART, ids, meta, numbered, read, reason, save,
    server::{Server, block_on},
};

#[test]
fn the_ids_are_those_of_the_other_stores() {
    let server = Server::start();
    let (store, memory) = (server.store(), MemoryStore::new(1 << 20));
    for meta in [meta(), ArtifactMeta::json("GetWeather", 7), ArtifactMeta::text("../../x", NOW)] {
        let mut writer = memory.create(&meta).unwrap();
        writer.write("tëxt".as_bytes()).unwrap();
        assert_eq!(save(&store, &meta, "tëxt").unwrap(), writer.finish(4).unwrap());
    }
    assert_eq!(ids(&store).len(), 3);
}

#[test]
fn an_artifact_is_an_object_whose_metadata_tells_the_rest() {
    let server = Server::start();
    let meta = meta().with_trust(Trust::External).with_session(" sitzung/ß\r\n");
    let saved = save(&server.store(), &meta, "4,213 rows").unwrap();
    let key = format!("{}/{}", &saved.sha256[..12], saved.id);
    assert_eq!(server.keys(), [&*key]);
    let object = block_on(server.objects().get(&Path::from(format!("agents/{key}")))).unwrap();
    let mut known = BTreeMap::new();
    for (attribute, value) in &object.attributes {
        match attribute {
            Attribute::Metadata(key) => known.insert(key.to_string(), value.to_string()),
            Attribute::ContentType => known.insert("Content-Type".into(), value.to_string()),
            other => panic!("{other:?}"),
        };
    }
    let expected = [
        ("Content-Type", "text/plain; charset=utf-8"),
        ("bytes", "10"),
        ("chars", "10"),
        ("created", "1711900000"),
        ("format", "1"),
        ("media", "text/plain;%20charset=utf-8"),
        ("session", "=%20sitzung/%C3%9F%0D%0A"),
        ("sha256", &saved.sha256),
        ("tool", "query_database"),
        ("trust", "external"),
    ];
    assert_eq!(known, expected.map(|(key, value)| (key.to_owned(), value.to_owned())).into());
    // Another machine reads it all again.
    assert_eq!(server.store().read(&saved.id, 0..9).unwrap().meta, meta);
    assert_eq!(server.store().list().unwrap()[0].meta, meta);
}

/// Both backends, and what each does with the same.
fn everywhere(check: impl Fn(&ObjectStore, &dyn Fn() -> Vec<String>)) {
    let server = Server::start();
    check(&server.store(), &|| server.keys());

    let root = tempfile::tempdir().unwrap();
    let files = Arc::new(LocalFileSystem::new_with_prefix(root.path()).unwrap());
    let keys = || {
        let listing = block_on(futures_util::TryStreamExt::try_collect::<Vec<_>>(files.list(None))).unwrap();
        let mut keys: Vec<_> =
            listing.iter().map(|object| object.location.to_string().replacen("agents/", "", 1)).collect();
        keys.sort();
        keys
    };
    check(&ObjectStore::new(files.clone(), "agents"), &keys);
}

#[test]
fn the_same_again_is_stored_once_and_anything_else_apart() {
    for length in [4, PART + 1] {
        everywhere(|store, keys| {
            let text = numbered(length);
            let first = save(store, &meta(), &text).unwrap();
            let before = keys();
            assert_eq!(save(store, &ArtifactMeta::text("query_database", NOW + 9), &text).unwrap(), first);
            assert_eq!(keys(), before);
            let external = save(store, &meta().with_trust(Trust::External), &text).unwrap();
            assert_eq!(external.id, first.id.replace(".txt", "-2.txt"));
            let session = save(store, &meta().with_session("s"), &text).unwrap();
            assert_eq!(session.id, first.id.replace(".txt", "-3.txt"));
            let json = save(store, &ArtifactMeta::json("query_database", NOW), &text).unwrap();
            assert_eq!(json.id, first.id.replace(".txt", ".json"));
            assert_eq!(ids(store).len(), 4);
            for (id, trust) in
                [(&first.id, Trust::Trusted), (&external.id, Trust::External), (&json.id, Trust::Trusted)]
            {
                let artifact = store.read(id, 0..u64::MAX).unwrap();
                assert_eq!((artifact.meta.trust, artifact.bytes), (trust, text.clone().into_bytes()));
            }
        });
    }
}

#[test]
fn what_is_long_lies_apart_and_reads_the_same() {
    everywhere(|store, keys| {
        let text = numbered(2 * PART + 12_345);
        let saved = save(store, &meta(), &text).unwrap();
        assert_eq!(read(store, &saved.id).unwrap(), text);
        let keys = keys();
        assert_eq!(keys.len(), 2);
        assert_eq!(keys.iter().filter(|key| key.starts_with("bodies/")).count(), 1);
        let size = text.len() as u64;
        for range in [0..0, 0..8, size - 8..size, size - 8..u64::MAX, size..size + 1, 8_388_600..8_388_616, 7..size] {
            let artifact = store.read(&saved.id, range.clone()).unwrap();
            let end = usize::try_from(range.end.min(size)).unwrap();
            let start = usize::try_from(range.start).unwrap().min(end);
            assert!(artifact.bytes == text.as_bytes()[start..end], "{range:?}");
            assert_eq!((artifact.size, &artifact.sha256), (size, &saved.sha256));
        }
        assert_eq!(store.list().unwrap()[0].size, size);
    });
}

#[test]
fn a_part_that_is_just_full_is_no_upload() {
    let server = Server::start();
    let store = server.store();
    for (length, objects) in [(PART - 1, 1), (PART, 2), (PART + 1, 4), (2 * PART, 6)] {
        let text = numbered(length);
        let saved = save(&store, &meta(), &text).unwrap();
        assert!(read(&server.store(), &saved.id).unwrap() == text);
        assert_eq!(server.keys().len(), objects);
    }
}

#[test]
fn a_name_that_no_metadata_can_carry_lies_beside() {
    let server = Server::start();
    let store = server.store();
    let meta = meta().with_session("é".repeat(1000));
    let saved = save(&store, &meta, "text").unwrap();
    assert!(server.keys().iter().any(|key| key.ends_with(&format!("{}.meta", saved.id))));
    assert_eq!(store.read(&saved.id, 1..3).unwrap().bytes, b"ex");
    assert_eq!(store.read(&saved.id, 0..9).unwrap().meta, meta);
    assert_eq!(save(&store, &meta, "text").unwrap(), saved);
    let other = save(&store, &crate::meta(), "text").unwrap();
    assert_eq!(other.id, saved.id.replace(".txt", "-2.txt"));
}

#[test]
fn nothing_is_ever_overwritten() {
    let server = Server::start();
    let wanted = save(&server.store(), &meta(), "text").unwrap();
    server.store().delete(&wanted.id).unwrap();
    let key = Path::from(format!("agents/{}/{}", &wanted.sha256[..12], wanted.id));
    block_on(server.objects().put(&key, "a stranger's".into())).unwrap();
    assert_eq!(save(&server.store(), &meta(), "text").unwrap().id, wanted.id.replace(".txt", "-2.txt"));
    let there = block_on(async { server.objects().get(&key).await.unwrap().bytes().await.unwrap() });
    assert_eq!(there, "a stranger's");
}

#[test]
fn an_empty_text_and_a_range_that_is_none() {
    everywhere(|store, _| {
        let saved = save(store, &meta(), "").unwrap();
        assert_eq!(read(store, &saved.id).unwrap(), "");
        assert_eq!(store.read(&saved.id, 3..7).unwrap().bytes, b"");
        let saved = save(store, &meta(), "0123456789").unwrap();
        #[allow(clippy::reversed_empty_ranges, reason = "a model may ask for one")]
        let reversed = 5..2;
        assert_eq!(store.read(&saved.id, reversed).unwrap().bytes, b"");
        assert_eq!(store.read(&saved.id, 8..12).unwrap().bytes, b"89");
    });
}

#[test]
fn what_is_not_an_id_is_refused_before_looking() {
    let server = Server::start();
    let store = server.store_with("nobody", "nothing");
    for id in ["../x", "x", "", "x_1_0123456789ab.txt.meta", "bodies/0123456789abcdef0123456789abcdef"] {
        assert_eq!(reason(store.read(id, 0..1)), StoreReason::InvalidId);
        assert_eq!(reason(store.delete(id)), StoreReason::InvalidId);
    }
    let store = server.store();
    assert_eq!(reason(store.read("x_1_0123456789ab.txt", 0..1)), StoreReason::NotFound);
    assert_eq!(reason(store.delete("x_1_0123456789ab.txt")), StoreReason::NotFound);
}

#[test]
fn addresses_of_other_things_are_refused() {
    for address in ["", "bucket", "https://example.invalid/x", "file:///tmp", "ftp://x/y", "s3:///x"] {
        assert_eq!(reason(ObjectStore::from_url(address, [("", "")])), StoreReason::Unsupported, "{address}");
    }
    let wrong = ObjectStore::from_url("s3://bucket", [("aws_conditional_put", "perhaps"), ("aws_region", "x")]);
    assert_eq!(reason(wrong), StoreReason::Failed);
    let debug = format!("{:?}", crate::server::store_at("http://127.0.0.1:9", "AKIDKEY", "hush-hush"));
    assert!(debug.contains("agents") && !debug.contains("hush-hush"), "{debug}");
}

#[test]
fn the_record_of_a_body_has_its_etag() {
    let server = Server::start();
    let saved = save(&server.store(), &meta(), &numbered(PART + 1)).unwrap();
    let key = Path::from(format!("agents/{}/{}", &saved.sha256[..12], saved.id));
    let get = |key: Path| block_on(server.objects().get_opts(&key, GetOptions::new().with_head(true))).unwrap();
    let pointer = get(key);
    assert_eq!(pointer.meta.size, 0);
    let known = |key: &'static str| pointer.attributes.get(&Attribute::Metadata(key.into())).unwrap().to_string();
    let body = get(Path::from(format!("agents/bodies/{}", known("body"))));
    assert_eq!(body.meta.e_tag, Some(known("etag")));
    assert_eq!(known("bytes"), (PART + 1).to_string());
}
