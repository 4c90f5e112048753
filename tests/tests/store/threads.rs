//! Many saves at once.

use std::{collections::HashSet, sync::Arc, thread};

use tool_runtime::{ArtifactMeta, ArtifactStore, LocalStore, MemoryStore};

use crate::{NOW, numbered_lines, read, save, saved_files, sha256, store_in};

fn save_from_all_sides(store: &(impl ArtifactStore + Clone), threads: usize, rounds: usize) -> HashSet<String> {
    let store = Arc::new(store.clone());
    let work = (0..threads).map(|thread| {
        let store = store.clone();
        thread::spawn(move || {
            let mut ids = Vec::new();
            for n in 0..rounds {
                // Half of the texts come from every thread, half from this one alone.
                let text = if n % 2 == 0 { format!("all {n}") } else { format!("{thread} {n}") }.repeat(200);
                let saved = save(&store, &ArtifactMeta::text("dump", NOW), &text).unwrap();
                assert_eq!(saved.sha256, sha256(text.as_bytes()));
                assert!(read(&store, &saved.id).unwrap() == text);
                ids.push(saved.id);
            }
            ids
        })
    });
    let work: Vec<_> = work.collect();
    work.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
}

#[test]
fn p01_each_reference_reads_back_exactly_its_own_bytes() {
    let (threads, saves) = (16, 200);
    let distinct = saves / 2 + threads * saves / 2;
    let root = tempfile::tempdir().unwrap();
    let local = store_in(root.path());
    assert_eq!(save_from_all_sides(&local, threads, saves).len(), distinct);
    // An artifact and a sidecar each, and no temporary file.
    assert_eq!(saved_files(&local.path().unwrap()).len(), 2 * distinct);
    assert_eq!(save_from_all_sides(&MemoryStore::new(usize::MAX >> 1), threads, saves).len(), distinct);
}

#[test]
fn large_results_are_streamed_in_any_pieces() {
    let text = numbered_lines(400_000);
    let store = LocalStore::session();
    let whole = save(&store, &ArtifactMeta::text("t", NOW), &text).unwrap();
    assert_eq!(whole.sha256, sha256(text.as_bytes()));
    for piece in [997, 1 << 16, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20] {
        let mut writer = store.create(&ArtifactMeta::text(format!("t{piece}"), NOW)).unwrap();
        for bytes in text.as_bytes().chunks(piece) {
            writer.write(bytes).unwrap();
        }
        let saved = writer.finish(text.len()).unwrap();
        assert_eq!(saved.sha256, whole.sha256);
        assert!(read(&store, &saved.id).unwrap() == text);
    }
}
