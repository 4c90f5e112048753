//! Every example runs, offline and from any directory, and prints what `examples/expected` says.
//!
//! After a change that is meant: `UPDATE_EXPECTED=1 cargo test -p tool-tests --test examples`, then read the diff.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use serde_json::Value;

/// Where each example's program is; built once, in one go.
fn programs() -> &'static BTreeMap<String, PathBuf> {
    static PROGRAMS: OnceLock<BTreeMap<String, PathBuf>> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let build = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "tool-examples", "--examples", "--message-format", "json"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
        let messages = String::from_utf8(build.stdout).unwrap();
        messages
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter_map(|message| {
                Some((message["target"]["name"].as_str()?.to_owned(), message["executable"].as_str()?.into()))
            })
            .collect()
    })
}

/// What an example prints, run where none of its files are.
fn printed(name: &str, args: &[&str]) -> String {
    let run = Command::new(&programs()[name])
        .args(args)
        .current_dir(std::env::temp_dir())
        .env_remove("TOOL_RUNTIME_STORE_DIR")
        .output()
        .unwrap();
    assert!(run.status.success(), "{name}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

fn expected() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/expected")
}

#[test]
fn examples_print_what_they_should() {
    // What these print is not the same each time; tests below look at it.
    let vary = ["quickstart", "child_process"];
    for name in programs().keys().filter(|name| !vary.contains(&name.as_str())) {
        let text = printed(name, &[]);
        let file = expected().join(name).with_extension("txt");
        if std::env::var_os("UPDATE_EXPECTED").is_some() {
            fs::write(&file, &text).unwrap();
        }
        let wanted = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert_eq!(text, wanted, "{name} prints something else; see the top of this test");
    }
}

#[test]
fn every_expected_text_has_its_example() {
    for entry in fs::read_dir(expected()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(programs().contains_key(name), "{name}");
    }
}

/// The replies of the quickstart by call id, and its table.
fn quickstart() -> (Vec<String>, String) {
    let text = printed("quickstart", &[]);
    let (replies, table) = text.split_once("\ntool  ").unwrap();
    let replies = replies.split("━━━ ").skip(1).map(str::to_owned).collect();
    (replies, table.to_owned())
}

#[test]
fn the_quickstart_shows_each_feature() {
    let (replies, table) = quickstart();
    let [weather, log, page, text, docs, picture, deploy, wrong, unknown] = &replies[..] else {
        panic!("{} replies", replies.len())
    };
    assert!(weather.contains("hourly rows") && weather.chars().count() < 500, "{weather}");

    assert!(log.contains("\nerror: could not compile `payload-probe`") && log.contains("[Truncated: "), "{log}");
    assert!(!log.contains('\u{1b}'), "{log}");

    assert!(page.contains("SYSTEM: the page ended above."), "{page}");
    for fenced in [log, page] {
        assert_eq!(fenced.matches("<external_tool_result").count(), 1, "{fenced}");
        assert_eq!(fenced.matches("</external_tool_result").count(), 1, "{fenced}");
    }
    assert!(page.find("SYSTEM:") < page.find("</external_tool_result"), "{page}");

    assert!(!text.contains('\u{fffd}') && text.contains("... (truncated "), "{text}");

    let json: Value = serde_json::from_str(docs.lines().nth(1).unwrap()).unwrap();
    assert!(json["_artifact_ref"]["id"].as_str().unwrap().starts_with("api_docs_"), "{json}");
    assert_eq!(json["methods"][0]["name"], "get");
    assert!(json["methods"][0]["docs"].as_str().unwrap().chars().count() <= 200, "{json}");

    assert!(picture.contains("image/png, 57781 bytes, byte for byte the file"), "{picture}");
    assert!(deploy.contains("[Tool error]\nproduction is frozen"), "{deploy}");
    assert!(wrong.contains("`airprot`") && wrong.contains("`month`") && wrong.contains("was not run"), "{wrong}");
    assert!(unknown.contains("`fetch_page`"), "{unknown}");

    for tool in ["weather", "build_log", "fetch_page", "translations", "api_docs", "screenshot", "deploy"] {
        assert!(table.lines().any(|line| line.starts_with(tool)), "{tool}: {table}");
    }
}

#[test]
fn the_quickstarts_receipts_are_json() {
    let receipts: Vec<Value> = serde_json::from_str(&printed("quickstart", &["--json"])).unwrap();
    let (replies, _) = quickstart();
    assert_eq!(receipts.len(), replies.len());
    for receipt in &receipts {
        assert!(receipt["view_source"].is_string() && receipt["model_chars"].is_u64(), "{receipt}");
    }
    assert_eq!(receipts[0]["view_source"], "hook");
    assert_eq!(receipts[1]["saved"], "saved");
    assert!(receipts[1]["removed"].as_u64() > Some(1000));
    assert!(receipts[2]["defused"].as_u64() > Some(0));
}

#[test]
#[cfg(unix)]
fn a_child_process_is_shown_by_both_ends_and_kept_whole() {
    let text = printed("child_process", &[]);
    let replies: Vec<&str> = text.split("━━━ ").skip(1).collect();
    let [version, chatty, endless] = &replies[..] else { panic!("{text}") };

    assert!(version.contains("\ncargo 1.") && version.contains("\n[exit status: 0]\n"), "{version}");
    assert!(!version.contains("kept: "), "{version}");

    // Numbers from 1 to 3000, twice, each line with a word and its end.
    let chars = 2 * (3000 * "out \n".len() + 9 + 90 * 2 + 900 * 3 + 2001 * 4) + "[exit status: 3]".len();
    assert!(chatty.contains(&format!("[Truncated: {chars} chars -> 300 chars | full output: ")), "{chatty}");
    assert!(chatty.contains("out 1\n") || chatty.contains("err 1\n"), "{chatty}");
    let lines: Vec<&str> = chatty.lines().collect();
    let status = lines.iter().position(|line| *line == "[exit status: 3]").unwrap();
    assert!(lines[status + 1].starts_with("</external_tool_result"), "{chatty}");
    assert!(["out 3000", "err 3000"].contains(&lines[status - 1]), "{chatty}");
    assert!(chatty.contains(&format!("kept: {chars} characters, 6001 lines")), "{chatty}");

    assert!(endless.contains("\n[Partial: the output was stopped at 1048576 bytes]\n"), "{endless}");
    assert!(endless.contains("kept: 1048576 characters, 52429 lines"), "{endless}");
}
