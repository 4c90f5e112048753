//! Full results that are kept.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, sync::Arc, thread};

use serde_json::json;
use tool_runtime::{LocalStore, Outcome, Registry, Status, ToolCall, ToolSpec, tool, tools};

use crate::{call, chars, returning, run};

/// Dumps.
#[tool(max_result_size = 100)]
fn dump(n: u32) -> String {
    format!("{n}:").repeat(1000)
}

fn header(outcome: &Outcome) -> &str {
    outcome.model_text().lines().next().unwrap()
}

fn is_in(path: &Path, folder: &Path) -> bool {
    path.canonicalize().unwrap().parent().unwrap() == folder.canonicalize().unwrap()
}

#[test]
fn p01_every_header_leads_to_the_text_of_its_own_call() {
    let root = tempfile::tempdir().unwrap();
    let store = LocalStore::at(root.path().join("kept"));
    let registry = Arc::new(Registry::builder().tools(tools![dump]).store(store).deterministic(1).build().unwrap());
    let calls: Vec<_> = (0..50)
        .map(|n| {
            let registry = Arc::clone(&registry);
            // Half of them say the same, all in one second and with one id.
            let n = if n % 2 == 0 { 0 } else { n };
            (n, thread::spawn(move || registry.call_blocking(ToolCall::new("", "dump", json!({ "n": n })))))
        })
        .collect();
    for (n, running) in calls {
        let outcome = running.join().unwrap();
        let path = header(&outcome).rsplit_once("full output: ").unwrap().1.trim_end_matches(']');
        assert_eq!(fs::read_to_string(path).unwrap(), format!("{n}:").repeat(1000));
        assert_eq!(outcome.artifact().unwrap().path.as_deref(), Some(Path::new(path)));
    }
}

#[test]
fn p03_no_name_leaves_the_folder() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("kept");
    let names = ["../../tmp/evil", "a/b\\c", "..", "", "con", "na\0me", "\u{202E}txt.exe", "-rf", "a/b", "-"];
    let mut kept = 0;
    for name in names {
        let tool = returning(ToolSpec::new(name, "Has an odd name.").max_result_size(100), json!("x".repeat(5000)));
        let registry = match Registry::builder().tool(tool).store(LocalStore::at(&folder)).build() {
            Ok(registry) => registry,
            Err(error) => {
                assert!(error.is_invalid_name(), "{error}");
                continue;
            }
        };
        let outcome = registry.call_blocking(call(name, "{}"));
        let path = outcome.artifact().unwrap().path.clone().unwrap();
        assert!(is_in(&path, &folder), "{name:?}: {}", path.display());
        assert!(header(&outcome).contains(&*path.to_string_lossy()), "{name:?}: {}", header(&outcome));
        kept += 1;
    }
    assert!(kept >= 5, "most of these are names that a tool from elsewhere may have");
}

#[test]
fn p04_the_folder_and_the_file_are_private_after_a_call() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("kept");
    let builder = || {
        let spec = ToolSpec::new("long", "Is long.").max_result_size(100);
        Registry::builder().tool(returning(spec, json!("x".repeat(5000)))).store(LocalStore::at(&folder))
    };
    let outcome = run(builder());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(outcome.artifact().unwrap().path.as_ref().unwrap())), (0o700, 0o600));
    // One that others may look into is not used.
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    let outcome = run(builder());
    assert_eq!(outcome.status(), Status::Ok);
    assert!(header(&outcome).ends_with("full output: not saved (access denied)]"), "{}", header(&outcome));
}

#[test]
fn p10_a_file_is_named_only_where_there_is_one() {
    let root = tempfile::tempdir().unwrap();
    let in_the_way = root.path().join("file");
    fs::write(&in_the_way, "mine").unwrap();
    let spec = || ToolSpec::new("long", "Is long.").max_result_size(200);
    for folder in [Path::new("/proc/nope"), &in_the_way, &in_the_way.join("below")] {
        let tool = returning(spec(), json!("x".repeat(5000)));
        let outcome = run(Registry::builder().tool(tool).store(LocalStore::at(folder)));
        assert_eq!((outcome.status(), outcome.receipt().truncated), (Status::Ok, true));
        let header = header(&outcome);
        assert!(header.contains("full output: not saved (access denied)]"), "{header}");
        assert!(!header.contains("/proc") && !header.contains("os error"), "{header}");
        assert_eq!(outcome.receipt().saved.as_deref(), Some("not saved (access denied)"));
        assert!(outcome.artifact().is_none() && chars(outcome.model_text()) < 400);
    }
    // Full: nothing is left behind.
    let folder = root.path().join("small");
    let tool = returning(spec(), json!("x".repeat(5000)));
    let outcome = run(Registry::builder().tool(tool).store(LocalStore::at(&folder).max_store_bytes(1000)));
    assert!(header(&outcome).contains("not saved (store is full)]"), "{}", header(&outcome));
    let kept = fs::read_dir(&folder)
        .unwrap()
        .filter(|entry| !entry.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'));
    assert_eq!(kept.count(), 0);
    assert_eq!(fs::read_to_string(in_the_way).unwrap(), "mine");
}
