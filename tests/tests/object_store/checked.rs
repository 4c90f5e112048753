//! What was changed behind the store does not pass.

use std::fs;

use object_store::{Attributes, ObjectStore as Objects, ObjectStoreExt, PutOptions, path::Path};
use tool_runtime::{ArtifactRef, ArtifactStore, StoreReason, Trust};

use crate::{
    NOW, PART, meta, numbered, read, reason, save,
    server::{Server, block_on},
};

fn key(saved: &ArtifactRef) -> String {
    format!("{}/{}", &saved.sha256[..12], saved.id)
}

/// Replaces an object's content, and keeps its metadata.
fn replace(server: &Server, key: &str, content: &str) {
    let key = Path::from(format!("agents/{key}"));
    let objects = server.objects();
    block_on(async {
        let attributes = objects.get(&key).await.unwrap().attributes;
        let options = PutOptions { attributes, ..PutOptions::default() };
        objects.put_opts(&key, content.to_owned().into(), options).await.unwrap();
    });
}

fn body_key(server: &Server) -> String {
    server.keys().into_iter().find(|key| key.starts_with("bodies/")).unwrap()
}

#[test]
fn a_replaced_object_is_refused_whole_and_in_part() {
    let server = Server::start();
    let store = server.store();
    let saved = save(&store, &meta(), "the text as it was saved").unwrap();
    assert_eq!(store.read(&saved.id, 4..8).unwrap().bytes, b"text");
    for content in ["THE TEXT AS IT WAS SAVED", "shorter", ""] {
        replace(&server, &key(&saved), content);
        for store in [&store, &server.store()] {
            for range in [0..u64::MAX, 4..8, 0..0] {
                assert_eq!(reason(store.read(&saved.id, range)), StoreReason::HashMismatch);
            }
        }
    }
    // It is not taken for what it was, and not touched.
    let again = save(&store, &meta(), "the text as it was saved").unwrap();
    assert_eq!(again.id, saved.id.replace(".txt", "-2.txt"));
    replace(&server, &key(&saved), "the text as it was saved");
    assert_eq!(store.read(&saved.id, 4..8).unwrap().bytes, b"text");
}

#[test]
fn a_replaced_body_is_refused_whole_and_in_part() {
    let server = Server::start();
    let store = server.store();
    let text = numbered(PART + 8);
    let saved = save(&store, &meta(), &text).unwrap();
    let body = body_key(&server);
    replace(&server, &body, &text.replace("0000077", "0000078"));
    for store in [&store, &server.store()] {
        for range in [0..u64::MAX, 0..8, 0..0] {
            assert_eq!(reason(store.read(&saved.id, range)), StoreReason::HashMismatch);
        }
    }
    // The same content under another ETag, as after a move to another bucket: the hash decides.
    replace(&server, &body, &text);
    for store in [&store, &server.store()] {
        assert_eq!(store.read(&saved.id, 8..15).unwrap().bytes, b"0000001");
    }
    block_on(server.objects().delete(&Path::from(format!("agents/{body}")))).unwrap();
    assert_eq!(reason(store.read(&saved.id, 0..8)), StoreReason::NotFound);
}

#[test]
fn what_changed_below_the_etag_does_not_pass_a_whole_read() {
    let server = Server::start();
    let store = server.store();
    let saved = save(&store, &meta(), "the text").unwrap();
    fs::write(server.file(&key(&saved)), "THE TEXT").unwrap();
    assert_eq!(read(&store, &saved.id), Err(StoreReason::HashMismatch));
    assert_eq!(reason(server.store().read(&saved.id, 1..2)), StoreReason::HashMismatch);
}

#[test]
fn unreadable_metadata_means_external() {
    let server = Server::start();
    let saved = save(&server.store(), &meta().with_session("s"), "the text").unwrap();
    let at = Path::from(format!("agents/{}", key(&saved)));
    let options = PutOptions { attributes: Attributes::new(), ..PutOptions::default() };
    block_on(server.objects().put_opts(&at, "the text".into(), options)).unwrap();
    let store = server.store();
    for _ in 0..2 {
        let artifact = store.read(&saved.id, 4..8).unwrap();
        assert_eq!((artifact.meta.trust, artifact.meta.session.as_deref()), (Trust::External, None));
        assert_eq!((artifact.meta.tool.as_str(), artifact.meta.created), ("query_database", NOW));
        assert_eq!((artifact.bytes.as_slice(), &artifact.sha256), (&b"text"[..], &saved.sha256));
    }
    assert_eq!(store.list().unwrap()[0].meta.trust, Trust::External);
    // Where only the id is left to check against, it is checked.
    block_on(server.objects().put(&at, "THE TEXT".into())).unwrap();
    assert_eq!(read(&store, &saved.id), Err(StoreReason::HashMismatch));
}

#[test]
fn a_body_is_never_another_artifact() {
    let server = Server::start();
    let store = server.store();
    let secret = save(&store, &meta().with_session("other"), "secret").unwrap();
    let saved = save(&store, &meta(), &numbered(PART + 1)).unwrap();
    let at = Path::from(format!("agents/{}", key(&saved)));
    let objects = server.objects();
    block_on(async {
        let mut attributes = objects.get(&at).await.unwrap().attributes;
        let body = object_store::Attribute::Metadata("body".into());
        attributes.insert(body, format!("../{}", key(&secret)).into());
        objects.put_opts(&at, "".into(), PutOptions { attributes, ..PutOptions::default() }).await.unwrap();
    });
    assert_eq!(read(&store, &saved.id), Err(StoreReason::HashMismatch));
}
