//! More than one process: umask, kill -9, and two that save the same. A test starts its own binary again with
//! the name of a role in the environment.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use tool_runtime::{ArtifactMeta, ArtifactStore, LocalStore, StoreReason};

use crate::{NOW, meta, names, read, reason, save, saved_files, store_in};

const ROLE: &str = "STORE_TEST_ROLE";
const DIRECTORY: &str = "STORE_TEST_DIRECTORY";

fn start(role: &str, directory: &Path, umask: &str) -> Child {
    Command::new("sh")
        .args(["-c", "umask $1; shift; exec \"$@\"", "sh", umask])
        .arg(env::current_exe().unwrap())
        .args(["processes::role", "--exact", "--nocapture"])
        .env(ROLE, role)
        .env(DIRECTORY, directory)
        .env("TMPDIR", directory)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the child says that it is where it is wanted.
fn wait_for_ready(child: &mut Child) {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.ends_with("ready")));
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn role() {
    let Ok(role) = env::var(ROLE) else { return };
    let directory = env::var(DIRECTORY).unwrap();
    let at = || LocalStore::at(Path::new(&directory).join("store"));
    let ready_to_die = || {
        println!("\nready");
        thread::sleep(Duration::from_secs(60));
    };
    match &*role {
        "save" => {
            let store = at();
            save(&store, &meta(), "text").unwrap();
            save(&LocalStore::session(), &meta(), "text").unwrap();
        }
        "half" => {
            let store = at();
            save(&store, &meta().with_session("s"), "whole").unwrap();
            let mut writer = store.create(&meta()).unwrap();
            writer.write(&vec![b'x'; 3 << 20]).unwrap();
            ready_to_die();
        }
        "session" => {
            let store = LocalStore::session();
            save(&store, &meta(), "text").unwrap();
            ready_to_die();
        }
        "sweep" => {
            LocalStore::session().sweep(NOW).unwrap();
        }
        "busy" => {
            let store = at();
            println!("\nready");
            for n in 0.. {
                save(&store, &ArtifactMeta::text("t", NOW), &format!("{n}\n").repeat(3000)).unwrap();
            }
        }
        "same" => {
            let store = at();
            for n in 0..300 {
                let text = format!("{n}\n").repeat(100);
                let saved = save(&store, &ArtifactMeta::text("t", NOW + n), &text).unwrap();
                assert!(read(&store, &saved.id).unwrap() == text);
            }
        }
        other => panic!("no role {other}"),
    }
}

#[test] // name-fs-umask-000, name-fs-umask-777
fn p04_no_umask_changes_the_modes() {
    for umask in ["000", "777", "022", "277"] {
        let root = tempfile::tempdir().unwrap();
        assert!(start("save", root.path(), umask).wait().unwrap().success(), "umask {umask}");
        let directory = root.path().join("store");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&directory), 0o700, "umask {umask}");
        assert_eq!(saved_files(&directory).len(), 2);
        for name in names(&directory) {
            assert_eq!(mode(&directory.join(name)), 0o600, "umask {umask}");
        }
    }
}

#[test] // name-fs-kill
fn a_killed_save_leaves_nothing_but_what_sweep_removes() {
    let root = tempfile::tempdir().unwrap();
    let store = store_in(root.path());
    let mut child = start("half", root.path(), "022");
    wait_for_ready(&mut child);
    let is_temporary = |name: &String| name.starts_with(".tmp-");
    let temporaries = || names(&store.path().unwrap()).iter().filter(|name| is_temporary(name)).count();
    assert_eq!(temporaries(), 1);
    // As long as the process lives, its unfinished file and its session's artifacts stay.
    assert_eq!(store.sweep(NOW + 1_000_000).unwrap(), 0);
    assert_eq!(temporaries(), 1);
    kill(child);
    assert_eq!(store.list().unwrap().len(), 1);
    assert_eq!(store.sweep(NOW).unwrap(), 1);
    assert_eq!(temporaries(), 0);
    let whole = store.list().unwrap().remove(0);
    assert_eq!(read(&store, &whole.id).unwrap(), "whole");
    assert_eq!(store.sweep(NOW + 1_000_000).unwrap(), 1);
    assert!(saved_files(&store.path().unwrap()).is_empty());
}

#[test] // name-fs-kill
fn kill_at_any_moment_leaves_whole_artifacts_only() {
    let root = tempfile::tempdir().unwrap();
    let store = store_in(root.path());
    for milliseconds in 0..25 {
        let mut child = start("busy", root.path(), "022");
        wait_for_ready(&mut child);
        thread::sleep(Duration::from_micros(milliseconds * 317));
        kill(child);
        for entry in store.list().unwrap() {
            let text = read(&store, &entry.id).unwrap();
            assert_eq!(text.lines().count(), 3000);
        }
    }
    store.sweep(NOW).unwrap();
    let artifacts = store.list().unwrap().len();
    assert!(artifacts > 0);
    assert_eq!(saved_files(&store.path().unwrap()).len(), 2 * artifacts);
}

#[test]
fn two_processes_that_save_the_same_share_one_file() {
    let root = tempfile::tempdir().unwrap();
    let mut children = [0, 1, 2].map(|_| start("same", root.path(), "022"));
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let store = store_in(root.path());
    assert_eq!(store.list().unwrap().len(), 300);
    assert_eq!(saved_files(&store.path().unwrap()).len(), 600);
}

#[test]
fn the_directories_of_killed_sessions_are_swept_and_no_others() {
    let root = tempfile::tempdir().unwrap();
    let (mut dead, mut living) = (start("session", root.path(), "022"), start("session", root.path(), "022"));
    wait_for_ready(&mut dead);
    wait_for_ready(&mut living);
    fs::create_dir(root.path().join("tool-runtime-0123456789abcdef")).unwrap();
    fs::create_dir(root.path().join("tool-runtime-notes")).unwrap();
    let before = names(root.path()).len();
    assert!(start("sweep", root.path(), "022").wait().unwrap().success());
    assert_eq!(names(root.path()).len(), before);
    kill(dead);
    assert!(start("sweep", root.path(), "022").wait().unwrap().success());
    assert_eq!(names(root.path()).len(), before - 1);
    kill(living);
    // The first save of the next session does it, too.
    assert!(start("save", root.path(), "022").wait().unwrap().success());
    assert_eq!(names(root.path()), ["store", "tool-runtime-0123456789abcdef", "tool-runtime-notes"]);
}

#[test]
fn an_expired_artifact_of_a_living_session_in_another_process_stays() {
    let root = tempfile::tempdir().unwrap();
    let mut child = start("half", root.path(), "022");
    wait_for_ready(&mut child);
    let store = store_in(root.path()).max_artifacts(1);
    let late = ArtifactMeta::text("t", NOW + 1_000_000);
    assert_eq!(reason(save(&store, &late, "late")), StoreReason::Full);
    kill(child);
    save(&store, &late, "late").unwrap();
    assert_eq!(store.list().unwrap().len(), 1);
}
