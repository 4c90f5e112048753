//! Holds the `use crate::` lines to the table of floors: a room imports only from a lower floor; words may name words.

use std::{collections::BTreeMap, fs, path::Path};

/// Rooms by floor, from the ground up. A folder is one room. `lib` and `private` are doors and may import anything.
const RUNTIME: &[&[&str]] = &[
    &[
        "approve", "artifact", "cancel", "contain", "content", "context", "cut", "error", "excerpt", "gate", "header",
        "hook", "index", "join", "json", "media", "notice", "outcome", "output", "part", "policy", "redact", "request",
        "schema", "secrets", "spec", "stages", "stream", "tokens", "value", "view",
    ],
    &["aside", "callable", "fields", "find", "guard", "sanitise", "thread"],
    &["args", "dialect", "fence", "truncate"],
    &["render", "resolve", "sink", "store"],
    &["conversation"],
    &["registry", "seat"],
    &["present", "run"],
    &["observe", "shape", "tool", "trace"],
    &["call", "link"],
    &["budget", "reader"],
    &["batch"],
    &["session"],
];

const MACROS: &[&[&str]] = &[
    &["docs", "errors", "fallback", "home", "located", "near", "passing", "synonyms"],
    &["keys", "slot"],
    &["form", "garde"],
    &["attr"],
    &["field"],
    &["state"],
    &["func"],
    &["checks", "valid"],
    &["block", "wrap"],
    &["expand"],
];

const DOORS: &[&str] = &["lib", "private"];

#[test]
fn imports_go_strictly_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests stand in the workspace");
    let mut wrong = Vec::new();
    for (package, floors) in [("tool-runtime", RUNTIME), ("tool-macros", MACROS)] {
        let floor_of: BTreeMap<&str, usize> =
            floors.iter().enumerate().flat_map(|(floor, rooms)| rooms.iter().map(move |room| (*room, floor))).collect();
        let source = root.join(package).join("src");
        for entry in fs::read_dir(&source).expect("the package has sources") {
            let path = entry.expect("readable").path();
            let room = path.file_stem().and_then(|stem| stem.to_str()).expect("UTF-8 file names").to_owned();
            if DOORS.contains(&room.as_str()) {
                continue;
            }
            let Some(&floor) = floor_of.get(room.as_str()) else {
                wrong.push(format!("{package}: `{room}` stands on no floor; add it to the table in rooms.rs"));
                continue;
            };
            for import in imports(&path) {
                match floor_of.get(import.as_str()) {
                    _ if import == room => {}
                    Some(&below) if below < floor || (floor == 0 && below == 0) => {}
                    Some(_) => wrong.push(format!("{package}: `{room}` imports `{import}`, which is not below it")),
                    // An item that the root re-exports is imported from its room, so that this test sees it.
                    None => wrong.push(format!("{package}: `{room}` imports `crate::{import}`, which is no room")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The first segments of every `crate::…` in the file or folder, tests and comments left out.
fn imports(path: &Path) -> Vec<String> {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("readable");
        return entries.flat_map(|entry| imports(&entry.expect("readable").path())).collect();
    }
    let text = fs::read_to_string(path).expect("UTF-8 sources");
    let code = text.split("\nmod tests {").next().unwrap_or_default();
    let code: String = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.chars().chain(['\n']))
        .filter(|c| !c.is_whitespace())
        .collect();
    let mut found = Vec::new();
    for after in code.split("crate::").skip(1) {
        if let Some(list) = after.strip_prefix('{') {
            found.extend(first_segments(list));
        } else {
            found.push(word(after));
        }
    }
    // `$crate::` and `pub(in crate::…)` never name a room that is not also imported.
    found.retain(|name| !name.is_empty() && name.chars().next().is_some_and(char::is_lowercase) && name != "__private");
    found
}

/// The names at the outermost level of `a, b::{c, d}, e}`.
fn first_segments(list: &str) -> Vec<String> {
    let mut depth = 0;
    let mut segments = Vec::new();
    let mut start = true;
    for (index, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => start = true,
            _ if start && depth == 0 => {
                segments.push(word(&list[index..]));
                start = false;
            }
            _ => {}
        }
    }
    segments
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}
