//! Many at once: threads, processes, runtimes; and how much memory one takes.

use std::{collections::HashSet, fs, thread};

use tool_runtime::{ArtifactStore, Registry, ToolCall, tool, tools};

use crate::{
    PART, ids, meta, numbered, read, save,
    server::{Server, answer, block_on, child, store_of},
};

#[test]
fn processes_that_save_the_same_share_one_artifact() {
    let server = Server::start();
    let children: Vec<_> = (0..4).map(|_| child("save", &server.endpoint()).spawn().unwrap()).collect();
    let saved: HashSet<_> = children.into_iter().map(answer).collect();
    assert_eq!(saved.len(), 1, "{saved:?}");
    // Two texts, one of them with a body.
    assert_eq!(ids(&server.store()).len(), 2);
    assert_eq!((server.keys().len(), server.unfinished()), (3, 0));
}

pub(crate) fn save_as_child(endpoint: &str) {
    let store = store_of(endpoint);
    let (short, long) = (save(&store, &meta(), "text").unwrap(), save(&store, &meta(), &numbered(PART + 1)).unwrap());
    println!("\nanswer: {} {}", short.id, long.id);
}

#[test]
fn threads_that_save_get_what_they_saved() {
    let server = Server::start();
    let store = server.store();
    thread::scope(|scope| {
        for n in 0..8 {
            let store = &store;
            scope.spawn(move || {
                for round in 0..10 {
                    let own = format!("{n} {round}");
                    let (own_ref, same) = (save(store, &meta(), &own).unwrap(), save(store, &meta(), "same").unwrap());
                    assert_eq!(read(store, &own_ref.id).unwrap(), own);
                    assert_eq!(read(store, &same.id).unwrap(), "same");
                }
            });
        }
    });
    assert_eq!(ids(&store).len(), 81);
}

#[test]
fn a_long_stream_takes_a_few_parts_of_memory() {
    let server = Server::start();
    let answer = answer(child("stream", &server.endpoint()).spawn().unwrap());
    let (before, after) = answer.split_once(' ').unwrap();
    let grown: usize = after.parse::<usize>().unwrap() - before.parse::<usize>().unwrap();
    println!("grown by {grown} KiB for 50 MB");
    assert!(grown < 36 * 1024, "{grown} KiB for 50 MB");
    assert_eq!(server.store().list().unwrap()[0].size, 50_000_000);
}

/// Says the peak of memory, in KiB, before and after a save of 50 MB.
pub(crate) fn stream_as_child(endpoint: &str) {
    let peak = || {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB").to_owned();
        line.trim().trim_end_matches(" kB").to_owned()
    };
    let store = store_of(endpoint);
    // Connections and their code are there already.
    save(&store, &meta(), "text").unwrap();
    store.delete(&ids(&store)[0]).unwrap();
    let before = peak();
    let piece = vec![b'x'; 50_000];
    let mut writer = store.create(&meta()).unwrap();
    for _ in 0..1000 {
        writer.write(&piece).unwrap();
    }
    writer.finish(50_000_000).unwrap();
    println!("\nanswer: {before} {}", peak());
}

#[test]
fn a_thread_that_drives_a_runtime_may_call() {
    let server = Server::start();
    let store = server.store();
    let uses = || {
        let saved = save(&store, &meta(), &numbered(PART + 1)).unwrap();
        assert_eq!(store.read(&saved.id, 0..7).unwrap().bytes, b"0000000");
        assert_eq!(ids(&store).len(), 1);
        drop(store.create(&meta()).unwrap());
        store.delete(&saved.id).unwrap();
    };
    block_on(async { uses() });
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    threads.block_on(async { uses() });
    // The last handle may go there, too.
    threads.block_on(async { drop(server.store()) });
}

/// Rows of a table.
#[tool(max_result_size = 200)]
fn rows(count: u32) -> String {
    (0..count).map(|row| row.to_string() + "\n").collect()
}

#[test]
fn a_call_saves_its_result_for_every_machine() {
    let server = Server::start();
    let registry = Registry::builder().tools(tools![rows]).store(server.store().shared()).build().unwrap();
    for count in [100, 200_000] {
        let call = ToolCall::new("call_1", "rows", format!(r#"{{"count":{count}}}"#));
        let outcome = match count {
            100 => registry.call_blocking(call),
            _ => block_on(registry.call(call)),
        };
        let saved = outcome.artifact().unwrap().clone();
        assert!(outcome.model_text().contains(&saved.id), "{}", outcome.model_text());
        assert_eq!(read(&server.store(), &saved.id).unwrap(), rows(count));
    }
}

#[test]
fn a_call_survives_a_store_that_is_gone() {
    let mut server = Server::start();
    let registry = Registry::builder().tools(tools![rows]).store(server.store()).build().unwrap();
    server.kill();
    let outcome = registry.call_blocking(ToolCall::new("call_1", "rows", r#"{"count":100}"#));
    assert!(outcome.model_text().contains("store failed"), "{}", outcome.model_text());
    assert!(!outcome.model_text().contains("127.0.0.1"));
}
