//! What somebody may put in the store's way. Each victim stays as it was, each wrong read is refused.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown, symlink},
    path::Path,
    process::Command,
    sync::mpsc,
    thread,
    time::Duration,
};

use tool_runtime::{ArtifactStore, LocalStore, StoreReason, Trust};

use crate::{NOW, id_of, meta, names, numbered_lines, read, reason, save, saved_files, store_in};

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Fails where `work` would wait for somebody to open the other end of a pipe.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = mpsc::channel();
    thread::spawn(move || done.send(work()));
    // Much more than the row's figure: the machine may be busy, and a pipe would wait for ever.
    result.recv_timeout(Duration::from_secs(30)).unwrap()
}

#[test] // name-fs-symlink-file, name-fs-hardlink
fn a_link_under_the_final_name_keeps_it_and_its_victim() {
    for make_link in [|from: &Path, to: &Path| symlink(from, to), |from: &Path, to: &Path| fs::hard_link(from, to)] {
        let root = tempfile::tempdir().unwrap();
        let store = store_in(root.path());
        let victim = root.path().join("victim");
        fs::write(&victim, "precious").unwrap();
        make_link(&victim, &store.path().unwrap().join(id_of("text"))).unwrap();

        let saved = save(&store, &meta(), "text").unwrap();
        assert_eq!(saved.id, id_of("text").replace(".txt", "-2.txt"));
        assert_eq!(read(&store, &saved.id).unwrap(), "text");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    }
}

#[test] // name-fs-fifo
fn a_pipe_under_the_final_name_blocks_nobody() {
    let root = tempfile::tempdir().unwrap();
    let store = store_in(root.path());
    fifo(&store.path().unwrap().join(id_of("text")));
    let refused = store.clone();
    assert_eq!(in_time(move || reason(refused.read(&id_of("text"), 0..1))), StoreReason::NotARegularFile);
    let saved = in_time(move || save(&store, &meta(), "text").unwrap());
    assert_eq!(saved.id, id_of("text").replace(".txt", "-2.txt"));
}

#[test] // name-fs-read-symlink, name-fs-read-hardlink
fn only_a_regular_file_with_one_name_is_read() {
    let root = tempfile::tempdir().unwrap();
    let store = store_in(root.path());
    let directory = store.path().unwrap();
    let saved = save(&store, &meta(), "text").unwrap();
    let secret = root.path().join("secret");
    fs::write(&secret, "text").unwrap();

    symlink(&secret, directory.join("a_1_0123456789ab.txt")).unwrap();
    fs::create_dir(directory.join("b_1_0123456789ab.txt")).unwrap();
    fs::hard_link(&secret, directory.join("c_1_0123456789ab.txt")).unwrap();
    symlink(root.path().join("nothing"), directory.join("d_1_0123456789ab.txt")).unwrap();
    for (id, expected) in [
        ("a_1_0123456789ab.txt", StoreReason::NotARegularFile),
        ("b_1_0123456789ab.txt", StoreReason::NotARegularFile),
        ("c_1_0123456789ab.txt", StoreReason::LinkCount),
        ("d_1_0123456789ab.txt", StoreReason::NotARegularFile),
        ("e_1_0123456789ab.txt", StoreReason::NotFound),
    ] {
        assert_eq!(reason(store.read(id, 0..1)), expected, "{id}");
        assert_eq!(reason(store.delete(id)), expected, "{id}");
    }
    let listed: Vec<_> = store.list().unwrap().into_iter().map(|entry| entry.id).collect();
    assert_eq!(listed, [saved.id]);
    assert_eq!(fs::read_to_string(secret).unwrap(), "text");
}

/// Changes the file of an artifact, given other content of the same length.
type Change = fn(&Path, &str);

#[test] // name-fs-tamper, name-fs-truncate, name-fs-deleted
fn changed_content_is_refused_by_every_read() {
    let text = "0123456789".repeat(30_000);
    let changed = text.replacen('5', "6", 1);
    let ways: [(&str, Change); 4] = [
        ("same length", |path, changed| fs::write(path, changed).unwrap()),
        ("shorter", |path, changed| fs::write(path, &changed[..70_000]).unwrap()),
        ("longer", |path, changed| fs::write(path, changed.to_owned() + "!").unwrap()),
        ("replaced", |path, changed| {
            fs::remove_file(path).unwrap();
            fs::write(path, changed).unwrap();
        }),
    ];
    for (how, change) in ways {
        for was_read in [false, true] {
            let root = tempfile::tempdir().unwrap();
            let store = store_in(root.path());
            let saved = save(&store, &meta(), &text).unwrap();
            if was_read {
                // Read twice, settled or not: at once, and when its times can be told from the change's.
                assert_eq!(store.read(&saved.id, 5..7).unwrap().bytes, b"56");
                thread::sleep(Duration::from_millis(80));
                assert_eq!(store.read(&saved.id, 5..7).unwrap().bytes, b"56");
            }
            change(saved.path.as_deref().unwrap(), &changed);
            for range in [0..u64::MAX, 0..10, 299_990..300_000, 100_000..100_001, 7..7] {
                assert_eq!(reason(store.read(&saved.id, range)), StoreReason::HashMismatch, "{how}");
            }
            // The same content again gets a sound file.
            let again = save(&store, &meta(), &text).unwrap();
            assert_ne!(again.id, saved.id);
            assert!(read(&store, &again.id).unwrap() == text);
        }
    }
}

#[test] // name-fs-deleted
fn a_removed_artifact_is_missing_and_can_be_saved_again() {
    let root = tempfile::tempdir().unwrap();
    let store = store_in(root.path());
    let saved = save(&store, &meta(), "text").unwrap();
    fs::remove_file(saved.path.unwrap()).unwrap();
    assert_eq!(reason(store.read(&saved.id, 0..1)), StoreReason::NotFound);
    let again = save(&store, &meta(), "text").unwrap();
    assert_eq!(read(&store, &again.id).unwrap(), "text");
}

#[test]
fn without_its_sidecar_an_artifact_is_external_and_nobodys() {
    let break_sidecar: [fn(&Path); 4] = [
        |path| fs::remove_file(path).unwrap(),
        |path| fs::write(path, "{").unwrap(),
        |path| fs::write(path, [0xff; 100]).unwrap(),
        |path| {
            fs::remove_file(path).unwrap();
            symlink("/dev/zero", path).unwrap();
        },
    ];
    for break_it in break_sidecar {
        let root = tempfile::tempdir().unwrap();
        let store = store_in(root.path());
        let saved = save(&store, &meta().with_session("s"), "text").unwrap();
        assert_eq!(store.read(&saved.id, 0..4).unwrap().meta, meta().with_session("s"));
        break_it(&store.path().unwrap().join(format!(".{}.meta", saved.id)));
        let found = store.read(&saved.id, 0..4).unwrap();
        assert_eq!((found.meta.trust, found.meta.session), (Trust::External, None));
        assert_eq!(found.bytes, b"text");
        assert_eq!(store.list().unwrap()[0].meta.trust, Trust::External);
        fs::write(saved.path.unwrap(), "tent").unwrap();
        assert_eq!(reason(store.read(&saved.id, 0..4)), StoreReason::HashMismatch);
    }
}

#[test]
fn p04_a_directory_that_is_not_private_and_ours_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    for (name, mode) in [("group", 0o750), ("world", 0o701), ("shared", 0o1777)] {
        fs::create_dir(at(name)).unwrap();
        fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    fs::create_dir(at("private")).unwrap();
    fs::set_permissions(at("private"), fs::Permissions::from_mode(0o700)).unwrap();
    symlink(at("private"), at("link")).unwrap();
    fs::write(at("file"), "").unwrap();
    fs::create_dir(at("other")).unwrap();
    fs::set_permissions(at("other"), fs::Permissions::from_mode(0o700)).unwrap();

    let mut refused = vec!["group", "world", "shared", "link", "link/", "link/.", "file", "file/below"];
    match chown(at("other"), Some(65_533), None) {
        Ok(()) => refused.push("other"),
        Err(error) => eprintln!("skipped: a directory of another owner ({error})"),
    }
    for name in refused {
        let store = LocalStore::at(at(name));
        assert_eq!(reason(save(&store, &meta(), "text")), StoreReason::Denied, "{name}");
        assert_eq!(reason(store.check()), StoreReason::Denied, "{name}");
        assert_eq!(reason(store.read(&id_of("text"), 0..1)), StoreReason::Denied, "{name}");
        assert!(fs::symlink_metadata(at(name)).is_err() || at(name).is_file() || names(&at(name)).is_empty(), "{name}");
    }
    save(&LocalStore::at(at("private/")), &meta(), "text").unwrap();
}

#[test]
fn p10_a_directory_that_cannot_be_is_refused_without_the_systems_words() {
    for path in ["/proc/nope", "/dev/null/store", "/proc/self/store"] {
        let error = save(&LocalStore::at(path), &meta(), "text").unwrap_err();
        assert_eq!(error.to_string(), "access denied", "{path}");
    }
}

#[test]
fn a_link_in_the_directorys_place_leads_nowhere() {
    let root = tempfile::tempdir().unwrap();
    let store = store_in(root.path());
    let saved = save(&store, &meta(), "text").unwrap();
    let (directory, moved, trap) = (store.path().unwrap(), root.path().join("moved"), root.path().join("trap"));
    fs::rename(&directory, &moved).unwrap();
    fs::create_dir(&trap).unwrap();
    fs::write(trap.join(&saved.id), "tent").unwrap();
    symlink(&trap, &directory).unwrap();

    assert_eq!(read(&store, &saved.id).unwrap(), "text");
    save(&store, &meta(), "more").unwrap();
    assert_eq!(names(&trap), [saved.id]);
    assert_eq!(saved_files(&moved).len(), 4);
}

#[test]
fn ranges_are_cut_to_what_there_is() {
    let store = LocalStore::session();
    let text = numbered_lines(30_000);
    let saved = save(&store, &meta(), &text).unwrap();
    let end = text.len() as u64;
    for was_read in [false, true] {
        for range in
            [0..0, 0..1, 65_530..65_550, 65_536..131_072, end - 3..end + 9, end..u64::MAX, u64::MAX - 1..u64::MAX]
        {
            let from = usize::try_from(range.start).unwrap().min(text.len());
            let to = usize::try_from(range.end).unwrap().min(text.len());
            let found = store.read(&saved.id, range.clone()).unwrap();
            assert!(found.bytes == text.as_bytes()[from..to], "{range:?} {was_read}");
            assert_eq!((found.size, &found.sha256), (end, &saved.sha256));
        }
        thread::sleep(Duration::from_millis(80));
    }
    assert_eq!(store.read(&saved.id, 0..1).unwrap().meta.created, NOW);
}
