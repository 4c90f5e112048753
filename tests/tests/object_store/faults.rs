//! A server that dies, refuses or never answers.

use std::{
    net::TcpListener,
    time::{Duration, Instant},
};

use tool_runtime::{ArtifactStore, ObjectStore, StoreReason};

use crate::{
    PART, ids, meta, numbered, read, reason, save,
    server::{Server, store_of},
};

#[test]
fn a_server_killed_in_the_middle_of_an_upload_leaves_nothing_to_read() {
    let mut server = Server::start();
    let store = server.store();
    let before = save(&store, &meta(), "before").unwrap();
    let text = numbered(4 * PART);
    let mut writer = store.create(&meta()).unwrap();
    let (sent, rest) = text.as_bytes().split_at(2 * PART + 1);
    writer.write(sent).unwrap();
    server.kill();
    let start = Instant::now();
    assert_eq!(reason(writer.write(rest)), StoreReason::Failed);
    assert_eq!(reason(writer.finish(text.len())), StoreReason::Failed);
    assert_eq!(reason(save(&store, &meta(), "while it is down")), StoreReason::Failed);
    assert_eq!(reason(store.read(&before.id, 0..1)), StoreReason::Failed);
    assert_eq!(reason(store.list()), StoreReason::Failed);
    assert!(start.elapsed() < Duration::from_secs(40), "{:?}", start.elapsed());

    let server = server.restart();
    let store = server.store();
    assert_eq!(ids(&store), [&*before.id]);
    assert_eq!(read(&store, &before.id).unwrap(), "before");
    let saved = save(&store, &meta(), &text).unwrap();
    assert!(read(&store, &saved.id).unwrap() == text);
}

#[test]
fn a_server_killed_before_the_end_is_an_error_of_the_end() {
    let mut server = Server::start();
    let mut short = server.store().create(&meta()).unwrap();
    short.write(b"text").unwrap();
    let mut long = server.store().create(&meta()).unwrap();
    long.write(numbered(2 * PART).as_bytes()).unwrap();
    server.kill();
    for writer in [short, long] {
        let error = writer.finish(1).unwrap_err();
        assert_eq!((error.reason(), error.to_string().as_str()), (StoreReason::Failed, "store failed"));
    }
    let server = server.restart();
    assert_eq!(server.keys(), [""; 0]);
}

#[test]
fn wrong_credentials_are_denied() {
    let server = Server::start();
    let saved = save(&server.store(), &meta(), "text").unwrap();
    for (key, secret) in [("AKIDTEST", "wrong"), ("AKIDOTHER", "test-secret")] {
        let store = server.store_with(key, secret);
        assert_eq!(reason(save(&store, &meta(), "text")), StoreReason::Denied);
        assert_eq!(reason(save(&store, &meta(), &numbered(PART + 1))), StoreReason::Denied);
        assert_eq!(reason(store.read(&saved.id, 0..1)), StoreReason::Denied);
        assert_eq!(reason(store.list()), StoreReason::Denied);
        assert_eq!(reason(store.delete(&saved.id)), StoreReason::Denied);
        assert_eq!(reason(store.sweep(u64::MAX)), StoreReason::Denied);
    }
    assert_eq!(read(&server.store(), &saved.id).unwrap(), "text");
}

#[test]
fn a_bucket_that_does_not_exist_is_denied() {
    let server = Server::start();
    let options = [
        ("aws_endpoint", server.endpoint()),
        ("aws_allow_http", "true".into()),
        ("aws_access_key_id", "AKIDTEST".into()),
        ("aws_secret_access_key", "test-secret".into()),
    ];
    let store = ObjectStore::from_url("s3://missing", options).unwrap();
    assert_eq!(reason(save(&store, &meta(), "text")), StoreReason::Denied);
    assert_eq!(reason(store.list()), StoreReason::Denied);
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", silent.local_addr().unwrap());
    let store = store_of(&endpoint).timeout(Duration::from_millis(200));
    let start = Instant::now();
    assert_eq!(reason(save(&store, &meta(), "text")), StoreReason::Failed);
    assert_eq!(reason(save(&store, &meta(), &numbered(PART + 1))), StoreReason::Failed);
    assert_eq!(reason(store.list()), StoreReason::Failed);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn without_conditional_requests_nothing_is_saved() {
    let server = Server::start();
    let options = [
        ("aws_endpoint", server.endpoint()),
        ("aws_allow_http", "true".into()),
        ("aws_access_key_id", "AKIDTEST".into()),
        ("aws_secret_access_key", "test-secret".into()),
        ("aws_conditional_put", "disabled".into()),
    ];
    let store = ObjectStore::from_url("s3://artifacts/agents", options).unwrap();
    assert_eq!(reason(save(&store, &meta(), "text")), StoreReason::Unsupported);
    assert_eq!(server.keys(), [""; 0]);
}
