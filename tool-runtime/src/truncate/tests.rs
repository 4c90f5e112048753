use std::{
    ops::{ControlFlow, Range},
    sync::{Arc, Mutex},
};

use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::*;
use crate::{
    artifact::{Artifact, ArtifactEntry, ArtifactWriter, StoreError},
    json::{self, Edit, Fault, Push, Walk},
};

/// Where a [`Shelf`] says no.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Broken {
    #[default]
    Nowhere,
    Create,
    /// At the write that takes it past so many bytes.
    Write(usize),
    Finish,
}

/// A store in memory that remembers what was done to it.
#[derive(Clone, Default)]
struct Shelf {
    broken: Broken,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    opened: usize,
    aborted: usize,
    kept: Vec<(ArtifactMeta, String, usize)>,
}

struct Slot {
    shelf: Shelf,
    meta: ArtifactMeta,
    bytes: Vec<u8>,
}

impl Shelf {
    fn broken(broken: Broken) -> Self {
        Self { broken, ..Self::default() }
    }

    fn texts(&self) -> Vec<String> {
        self.seen.lock().unwrap().kept.iter().map(|(_, text, _)| text.clone()).collect()
    }

    fn counts(&self) -> (usize, usize, usize) {
        let seen = self.seen.lock().unwrap();
        (seen.opened, seen.aborted, seen.kept.len())
    }

    fn opened(&self) -> Opened {
        match self.create(&ArtifactMeta::text("t", 1)) {
            Ok(writer) => Opened::Writer(writer),
            Err(error) => Opened::Refused(error.reason()),
        }
    }
}

impl ArtifactWriter for Slot {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.bytes.extend_from_slice(bytes);
        match self.shelf.broken {
            Broken::Write(limit) if self.bytes.len() > limit => Err(StoreReason::DiskFull.into()),
            _ => Ok(()),
        }
    }

    fn finish(self: Box<Self>, chars: usize) -> Result<ArtifactRef, StoreError> {
        let mut seen = self.shelf.seen.lock().unwrap();
        if self.shelf.broken == Broken::Finish {
            return Err(StoreReason::Full.into());
        }
        let text = String::from_utf8(self.bytes).unwrap();
        assert_eq!(text.chars().count(), chars);
        let id = format!("{}_{}_{}.txt", self.meta.tool, 1, &hash(&text)[..12]);
        let artifact = ArtifactRef::new(&id, Some(format!("/shelf/{id}").into()), hash(&text), chars);
        seen.kept.push((self.meta, text, chars));
        Ok(artifact)
    }

    fn abort(self: Box<Self>) {
        self.shelf.seen.lock().unwrap().aborted += 1;
    }
}

impl ArtifactStore for Shelf {
    fn create(&self, meta: &ArtifactMeta) -> Result<Box<dyn ArtifactWriter>, StoreError> {
        if self.broken == Broken::Create {
            return Err(StoreReason::Denied.into());
        }
        self.seen.lock().unwrap().opened += 1;
        Ok(Box::new(Slot { shelf: self.clone(), meta: meta.clone(), bytes: Vec::new() }))
    }
    fn read(&self, _: &str, _: Range<u64>) -> Result<Artifact, StoreError> {
        Err(StoreReason::NotFound.into())
    }
    fn list(&self) -> Result<Vec<ArtifactEntry>, StoreError> {
        Ok(Vec::new())
    }
    fn delete(&self, _: &str) -> Result<(), StoreError> {
        Ok(())
    }
    fn sweep(&self, _: u64) -> Result<usize, StoreError> {
        Ok(0)
    }
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

fn strategy_named(name: &str) -> TruncationStrategy {
    [TruncationStrategy::HeadTail, TruncationStrategy::Head, TruncationStrategy::Fields, TruncationStrategy::Structure]
        .into_iter()
        .find(|strategy| strategy.name() == name)
        .unwrap()
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap().try_into().unwrap()
}

#[test]
fn every_row_of_the_conformance_table() {
    let table: Value = serde_json::from_str(include_str!("../../../tests/cases/truncate_conformance.json")).unwrap();
    let rows = table["cases"].as_array().unwrap();
    assert_eq!(rows.len(), 304);
    for row in rows {
        let unit = row["unit"].as_str().unwrap();
        let length = number(&row["chars"]);
        // The unit is not empty, so `length` units are enough.
        let units = (0..).map(|index: usize| unit.replace("%d", &index.to_string()));
        let text: String = units.flat_map(|unit| unit.chars().collect::<Vec<_>>()).take(length).collect();
        let strategy = strategy_named(row["strategy"].as_str().unwrap());
        let options = TruncateOptions::new(number(&row["max_size"])).strategy(strategy);
        let result = truncate_result(&text, &options);
        assert_eq!(result.truncated, row["truncated"].as_bool().unwrap(), "{row}");
        assert_eq!(result.original_size, number(&row["original_size"]), "{row}");
        assert_eq!(chars(&result.content), number(&row["content_chars"]), "{row}");
        if let Some(content) = row.get("content") {
            assert_eq!(result.content, content.as_str().unwrap());
        }
        assert_eq!(hash(&result.content), row["content_sha256"].as_str().unwrap(), "{row}");
        assert_eq!(hash(&result.to_string()), row["display_sha256"].as_str().unwrap(), "{row}");
        assert_eq!(result.full_path, None);
    }
}

/// Rows of `truncate.json` that are about something else than this stage.
const ELSEWHERE: [(&str, &str); 7] = [
    ("trunc-marker-across-cut", "the fence"),
    ("trunc-marker-forged-by-join", "the fence"),
    ("trunc-total-budget", "the whole message"),
    ("trunc-negative-like", "`usize`: can't be written"),
    ("trunc-dict-key-collision", "sanitising"),
    ("trunc-multimodal-text", "content parts"),
    ("trunc-same-second-twice", "the store"),
];

#[test]
fn every_row_of_the_truncation_table_in_reach() {
    let rows: Value = serde_json::from_str(include_str!("../../../tests/cases/truncate.json")).unwrap();
    for row in rows.as_array().unwrap() {
        let id = row["id"].as_str().unwrap();
        let input = &row["input"];
        let limit = input.get("max").map_or(1_000, |max| max.as_u64().unwrap_or(0).try_into().unwrap());
        if ELSEWHERE.iter().any(|(elsewhere, _)| *elsewhere == id) {
            continue;
        }
        if let Some(value) = input.get("value") {
            value_row(id, value, limit);
            continue;
        }
        // `trunc-forged-omission` gives the text alone.
        let text = match input.get("text").unwrap_or(input) {
            Value::String(text) => text.clone(),
            text => text["repeat"].as_str().unwrap().repeat(number(&text["n"])),
        };
        let broken = Shelf::broken(Broken::Create);
        let mut options = TruncateOptions::new(limit);
        if input["option"] == "grapheme_safe" {
            #[cfg(feature = "graphemes")]
            {
                options = options.snap(Snap::Graphemes);
            }
            #[cfg(not(feature = "graphemes"))]
            continue;
        }
        if input["store"] == "fails" {
            options = options.store(&broken);
        }
        let result = truncate_result(&text, &options);
        for (key, expected) in row["expect"].as_object().unwrap() {
            match key.as_str() {
                "truncated" => assert_eq!(result.truncated, expected.as_bool().unwrap(), "{id}"),
                "content" => assert_eq!(result.content, expected.as_str().unwrap(), "{id}"),
                "content_chars_max" => assert!(chars(&result.content) <= number(expected), "{id}"),
                "header_n" => assert_eq!(result.original_size, number(expected), "{id}"),
                "header_m_equals_content_len" => assert_eq!(
                    result.to_string().lines().next().unwrap(),
                    format!("[Truncated: {} chars -> {} chars]", chars(&text), chars(&result.content)),
                ),
                "header_says" => assert!(result.to_string().contains(expected.as_str().unwrap()), "{id}"),
                "no_orphan_combining_after_cut" => assert!(!result.content.contains("\n\u{301}"), "{id}"),
                "no_split_crlf" => {
                    let (head, tail) = result.content.split_once("\n... (truncated ").unwrap();
                    assert!(!head.ends_with('\r') && !tail.contains("...\n\n"), "{id}");
                }
                "no_panic" | "valid_utf8" | "tool_call_ok" | "note" => {}
                other => panic!("{id} expects {other}"),
            }
        }
    }
}

fn value_row(id: &str, value: &Value, limit: usize) {
    match id {
        "trunc-dict-many-medium" => {
            let rows = vec![json!({ "content": "x".repeat(number(&value["chars"])) }); number(&value["n"])];
            for value in [json!(rows), json!({ "results": rows })] {
                let fitted = fit_json(&value, limit, None, None, &Shelf::default()).unwrap();
                assert_eq!(fitted.strategy, Some(TruncationStrategy::HeadTail));
                assert!(fitted.shown <= limit && !fitted.points_itself);
            }
        }
        "trunc-dict-deep" => {
            let deep = (0..number(&value["depth"]))
                .fold(Value::Null, |inner, _| Value::Object(std::iter::once(("k".to_owned(), inner)).collect()));
            let shelf = Shelf::default();
            let fitted = fit_json(&deep, limit, None, None, &shelf);
            assert!(matches!(fitted, Err(Unfit::Fault(Fault::TooDeep))));
            assert_eq!(shelf.counts().2, 0);
        }
        "trunc-dict-reserved-key" => {
            // Within the limit nothing is touched; the runtime's own reference is in the receipt or nowhere.
            let fitted = fit_json(value, limit, None, None, &Shelf::default()).unwrap();
            assert_eq!(fitted.content.unwrap(), value.to_string());
            assert_eq!((fitted.saved, fitted.points_itself), (Saved::Never, false));
        }
        other => panic!("{other}"),
    }
}

fn pour_json<T: Serialize>(value: &T, push: Push<'_>, edit: Option<Edit<'_>>) -> Result<(), Fault> {
    let edit = edit.map(|edit| edit as Edit<'_>);
    json::write(value, &mut Walk { push, edit, non_finite: 0 })
}

fn fit_json<T: Serialize>(
    value: &T,
    limit: usize,
    strategy: Option<TruncationStrategy>,
    field_limit: Option<usize>,
    shelf: &Shelf,
) -> Result<Fitted, Unfit> {
    let mut open = || shelf.opened();
    let mut saving = Saving { open: &mut open, inline_bytes: None };
    let pour = |push: Push<'_>, edit: Option<Edit<'_>>| pour_json(value, push, edit);
    fit(&Material::Json(&pour), &bounds(Some(limit), strategy, field_limit), &mut saving)
}

fn bounds(limit: Option<usize>, strategy: Option<TruncationStrategy>, field_limit: Option<usize>) -> Bounds {
    Bounds { limit, strategy, field_limit, may_point: true, ..Bounds::default() }
}

fn fit_pieces(
    pieces: &[&str],
    limit: Option<usize>,
    inline_bytes: Option<usize>,
    shelf: &Shelf,
) -> Result<Fitted, Unfit> {
    let mut open = || shelf.opened();
    let mut saving = Saving { open: &mut open, inline_bytes };
    let pour = pour_pieces(pieces);
    fit(&Material::Text(&pour), &bounds(limit, None, None), &mut saving)
}

fn pour_pieces<'t>(pieces: &'t [&'t str]) -> impl Fn(Push<'_>) -> Result<(), Fault> {
    move |push| match pieces.iter().try_for_each(|piece| push(piece)) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Fault::Stopped),
    }
}

fn pieces_of<'t>(text: &'t str, cuts: &[usize]) -> Vec<&'t str> {
    let mut at: Vec<usize> = cuts.iter().map(|at| crate::cut::boundary(text, at % (text.len() + 1))).collect();
    at.extend([0, text.len()]);
    at.sort_unstable();
    at.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_stream_gives_what_the_whole_gives_and_is_saved_whole(
        text in "[a-z é漢🦀\r\n\u{301}]{0,400}",
        cuts in proptest::collection::vec(any::<usize>(), 0..20),
        limit in 0_usize..500,
    ) {
        let (streamed, whole) = (Shelf::default(), Shelf::default());
        let fitted = fit_pieces(&pieces_of(&text, &cuts), Some(limit), None, &streamed).unwrap();
        let result = truncate_result(&text, &TruncateOptions::new(limit).store(&whole));
        prop_assert_eq!(fitted.content.as_deref(), Some(result.content.as_str()));
        prop_assert_eq!(fitted.original, chars(&text));
        prop_assert_eq!(fitted.shown, chars(&result.content));
        prop_assert!(fitted.shown <= limit);
        prop_assert_eq!(fitted.truncated, result.truncated);
        let expected = if result.truncated { vec![text] } else { vec![] };
        prop_assert_eq!(streamed.texts(), expected.clone());
        prop_assert_eq!(whole.texts(), expected);
        prop_assert_eq!(result.truncated, result.to_string().starts_with("[Truncated: "));
    }

    #[test]
    fn shortened_objects_are_json_within_the_limit_and_no_string_grows(
        strings in proptest::collection::vec("[a-z\"\\\\\n é🦀]{0,60}", 1..8),
        limit in 0_usize..600,
        field_limit in 0_usize..80,
        may_point in any::<bool>(),
    ) {
        let value = json!({
            "_artifact_ref": {"path": "/etc/passwd"},
            "list": strings.iter().map(|text| json!({"s": text, "n": 1.5})).collect::<Vec<_>>(),
            "_artifact_ref_": strings[0],
        });
        let shelf = Shelf::default();
        let mut open = || if may_point { shelf.opened() } else { Opened::NoStore };
        let mut saving = Saving { open: &mut open, inline_bytes: None };
        let pour = |push: Push<'_>, edit: Option<Edit<'_>>| pour_json(&value, push, edit);
        let fitted = fit(&Material::Json(&pour), &bounds(Some(limit), None, Some(field_limit)), &mut saving).unwrap();
        let content = fitted.content.unwrap();
        prop_assert!(chars(&content) <= limit);
        prop_assert_eq!(chars(&content), fitted.shown);
        if fitted.truncated && may_point {
            prop_assert_eq!(shelf.texts(), vec![value.to_string()]);
        }
        if fitted.strategy == Some(TruncationStrategy::Fields) {
            let shown: Value = serde_json::from_str(&content).unwrap();
            prop_assert_eq!(fitted.points_itself, shown.get("_artifact_ref").is_some());
            if fitted.points_itself {
                let artifact = fitted.saved.artifact().unwrap();
                prop_assert_eq!(&shown["_artifact_ref"], &json!({"id": artifact.id, "chars": artifact.chars}));
            }
            prop_assert_eq!(&shown["_artifact_ref__"]["path"].as_str().map(|path| "/etc/passwd".len() >= path.len()), &Some(true));
            for (index, text) in strings.iter().enumerate() {
                let short = shown["list"][index]["s"].as_str().unwrap();
                let expected = truncate_result(text, &TruncateOptions::new(field_limit)).content;
                prop_assert_eq!(short, expected);
                prop_assert!(chars(short) <= chars(text));
                prop_assert_eq!(&shown["list"][index]["n"], &json!(1.5));
            }
        } else if fitted.truncated {
            prop_assert_eq!(content, truncate_result(&value.to_string(), &TruncateOptions::new(limit)).content);
        } else {
            prop_assert_eq!(content, value.to_string());
        }
    }
}

#[test]
fn the_end_of_a_long_log_is_shown() {
    let log = format!("Compiling one\n{}\n    Finished `dev` profile in 3 s", "rustc --crate-name x ".repeat(10_000));
    let content = truncate_result(&log, &TruncateOptions::new(4_000)).content;
    assert!(content.starts_with("Compiling one\n") && content.ends_with("Finished `dev` profile in 3 s"));
}

#[test]
fn characters_are_counted_and_never_split() {
    for shift in 0..4 {
        let text = "c".repeat(shift) + &"a".repeat(29_999) + "\u{1F600}" + &"b".repeat(10_000);
        for strategy in [TruncationStrategy::Head, TruncationStrategy::HeadTail] {
            let result = truncate_result(&text, &TruncateOptions::new(30_000).strategy(strategy));
            assert_eq!((result.original_size, chars(&result.content)), (40_000 + shift, 30_000));
        }
    }
}

#[test]
fn a_long_path_never_counts_as_content() {
    let shelf = Shelf::default();
    let text = "0123456789".repeat(100);
    for limit in [0, 1, 5, 20, 60] {
        let result = truncate_result(&text, &TruncateOptions::new(limit).tool_name(&"t".repeat(120)).store(&shelf));
        assert_eq!(chars(&result.content), limit);
        let display = result.to_string();
        let (header, content) = display.split_once('\n').unwrap();
        assert_eq!(content, result.content);
        let path = result.full_path.unwrap();
        assert_eq!(header, format!("[Truncated: 1000 chars -> {limit} chars | full output: {}]", path.display()));
    }
}

#[test]
fn the_store_gets_the_text_and_what_is_known_of_it() {
    let shelf = Shelf::default();
    let text = "é".repeat(100);
    let result = truncate_result(&text, &TruncateOptions::new(50).tool_name("read").store(&shelf));
    assert_eq!(result.artifact().unwrap().chars, 100);
    let object = json!({"a": "x".repeat(100)}).to_string();
    let fields = TruncateOptions::new(50).tool_name("read").store(&shelf).strategy(TruncationStrategy::Fields);
    let _ = truncate_result(&object, &fields);
    let _ = truncate_result("short", &fields);
    let seen = shelf.seen.lock().unwrap();
    assert_eq!(seen.opened, 2);
    assert_eq!(seen.kept[0].1, text);
    assert_eq!(
        (seen.kept[0].0.tool.as_str(), seen.kept[0].0.media_type.as_str()),
        ("read", "text/plain; charset=utf-8")
    );
    assert_eq!(seen.kept[1].1, object);
    assert_eq!(seen.kept[1].0.media_type, "application/json");
    assert!(seen.kept[0].0.created > 1_600_000_000);
}

#[test]
fn a_failing_store_costs_the_pointer_only() {
    let text = "x".repeat(5_000);
    let chunks = vec!["x".repeat(100); 50];
    let pieces: Vec<&str> = chunks.iter().map(String::as_str).collect();
    let expected = truncate_result(&text, &TruncateOptions::new(1_000)).content;
    for (broken, reason, aborted) in [
        (Broken::Create, StoreReason::Denied, 0),
        (Broken::Write(0), StoreReason::DiskFull, 1),
        (Broken::Write(4_000), StoreReason::DiskFull, 1),
        (Broken::Finish, StoreReason::Full, 0),
    ] {
        let shelf = Shelf::broken(broken);
        let result = truncate_result(&text, &TruncateOptions::new(1_000).store(&shelf));
        assert_eq!((&result.content, result.full_path.as_ref()), (&expected, None));
        assert_eq!(result.not_saved(), Some(reason));
        let header = format!("[Truncated: 5000 chars -> 1000 chars | full output: not saved ({reason})]");
        assert_eq!(result.to_string().lines().next(), Some(header.as_str()));
        assert_eq!(shelf.counts().1, aborted);

        let shelf = Shelf::broken(broken);
        let fitted = fit_pieces(&pieces, Some(1_000), None, &shelf).unwrap();
        assert_eq!((fitted.content.as_ref(), &fitted.saved), (Some(&expected), &Saved::No(reason)));
        assert_eq!(shelf.counts().1, aborted);
    }
}

#[test]
fn text_that_breaks_off_leaves_nothing_behind() {
    let shelf = Shelf::default();
    let mut open = || shelf.opened();
    let mut saving = Saving { open: &mut open, inline_bytes: None };
    let pour = |push: Push<'_>| {
        let _ = push("long enough");
        Err(Fault::Failed("no more".into()))
    };
    let material = Material::Text(&pour);
    assert!(matches!(fit(&material, &bounds(Some(3), None, None), &mut saving), Err(Unfit::Fault(Fault::Failed(_)))));
    assert!(matches!(save(&material, &mut saving), Err(Unfit::Fault(Fault::Failed(_)))));
    assert_eq!(shelf.counts(), (2, 2, 0));
}

#[test]
fn too_much_for_this_thread_is_started_again_elsewhere() {
    let text = "x".repeat(1_000);
    let pieces = pieces_of(&text, &[100, 200, 300]);
    let shelf = Shelf::default();
    for inline_bytes in [0, 50, 500, 999] {
        let fitted = fit_pieces(&pieces, Some(150), Some(inline_bytes), &shelf);
        assert!(matches!(fitted, Err(Unfit::NeedsThread)), "{inline_bytes}");
        let mut open = || shelf.opened();
        let mut saving = Saving { open: &mut open, inline_bytes: Some(inline_bytes) };
        let whole = Material::Whole(&text);
        assert!(matches!(fit(&whole, &bounds(Some(150), None, None), &mut saving), Err(Unfit::NeedsThread)));
        assert!(matches!(save(&whole, &mut saving), Err(Unfit::NeedsThread)));
    }
    let (opened, aborted, kept) = shelf.counts();
    assert_eq!((opened, kept), (aborted, 0));
    assert_eq!(fit_pieces(&pieces, Some(150), Some(1_000), &shelf).unwrap().saved.artifact().unwrap().chars, 1_000);
    // Within the limit nothing is saved, so no thread is needed.
    assert!(fit_pieces(&pieces, Some(1_000), Some(0), &shelf).is_ok());
    assert!(fit_pieces(&pieces, None, Some(0), &shelf).is_ok());

    let mut saving = Saving { open: &mut || Opened::NeedsThread, inline_bytes: None };
    assert!(matches!(fit(&Material::Whole(&text), &bounds(Some(9), None, None), &mut saving), Err(Unfit::NeedsThread)));
    let mut saving = Saving { open: &mut || Opened::NoStore, inline_bytes: Some(0) };
    assert_eq!(fit(&Material::Whole(&text), &bounds(Some(9), None, None), &mut saving).unwrap().saved, Saved::Never);
}

#[test]
fn the_whole_is_saved_on_request_within_the_limit_too() {
    let shelf = Shelf::default();
    let mut open = || shelf.opened();
    let mut saving = Saving { open: &mut open, inline_bytes: Some(100) };
    for text in ["", "é漢"] {
        let (saved, chars) = save(&Material::Whole(text), &mut saving).unwrap();
        assert_eq!((saved.artifact().unwrap().chars, chars), (text.chars().count(), chars));
    }
    assert_eq!(shelf.texts(), ["", "é漢"]);
    let mut saving = Saving { open: &mut || Opened::NoStore, inline_bytes: Some(0) };
    assert_eq!(save(&Material::Whole("é漢"), &mut saving).unwrap(), (Saved::Never, 2));
}

#[test]
fn fields_are_for_objects() {
    let shelf = Shelf::default();
    let long = "x".repeat(200);
    for (value, by_default, explicit) in [
        (json!({ "a": long }), TruncationStrategy::Fields, TruncationStrategy::Fields),
        (json!([{ "a": long }]), TruncationStrategy::HeadTail, TruncationStrategy::HeadTail),
        (json!(long), TruncationStrategy::HeadTail, TruncationStrategy::HeadTail),
    ] {
        let text = value.to_string();
        let fitted = fit_json(&value, 150, None, Some(40), &shelf).unwrap();
        assert_eq!(fitted.strategy, Some(by_default));
        let fitted = fit_json(&value, 150, Some(TruncationStrategy::Fields), Some(40), &shelf).unwrap();
        assert_eq!(fitted.strategy, Some(explicit));
        assert_eq!(
            fit_json(&value, 150, Some(TruncationStrategy::Head), Some(40), &shelf).unwrap().content.unwrap(),
            text[..150]
        );
        // The same as text, of which only `Fields` looks at the inside, however it comes.
        let options = TruncateOptions::new(150).field_limit(40).tool_name("t").store(&shelf);
        assert!(!truncate_result(&text, &options).content.contains("_artifact_ref"));
        let whole = truncate_result(&text, &options.strategy(TruncationStrategy::Fields));
        assert_eq!(Some(&whole.content), fitted.content.as_ref());
        let mut open = || shelf.opened();
        let mut saving = Saving { open: &mut open, inline_bytes: None };
        let pieces = pieces_of(&text, &[3, 7, 100]);
        let pour = pour_pieces(&pieces);
        let streamed =
            fit(&Material::Text(&pour), &bounds(Some(150), Some(TruncationStrategy::Fields), Some(40)), &mut saving);
        assert_eq!(streamed.unwrap().content.as_ref(), Some(&whole.content));
    }
    for no_json in [format!("{{{long}"), format!("{{\"a\":\"{long}\"}} tail"), long.clone()] {
        let options = TruncateOptions::new(150).field_limit(40);
        let result = truncate_result(&no_json, &options.strategy(TruncationStrategy::Fields));
        assert_eq!(result.content, truncate_result(&no_json, &options).content);
    }
}

#[test]
fn a_shortened_object_points_to_the_whole_or_has_a_header() {
    let shelf = Shelf::default();
    let text = format!(r#"{{ "n": 1.10, "s": "{}" }}"#, "x".repeat(500));
    let options = TruncateOptions::new(200).field_limit(50).strategy(TruncationStrategy::Fields);
    let result = truncate_result(&text, &options.store(&shelf));
    let id = &result.artifact().unwrap().id;
    let short = truncate_result(&"x".repeat(500), &TruncateOptions::new(50)).content.replace('\n', "\\n");
    let object = format!(r#"{{"n":1.10,"s":"{short}""#);
    assert_eq!(result.to_string(), format!(r#"{object},"_artifact_ref":{{"id":"{id}","chars":{}}}}}"#, chars(&text)));
    // No store, no pointer: the header says that something is missing.
    let header = format!("[Truncated: {} chars -> {} chars", chars(&text), chars(&object) + 1);
    assert_eq!(truncate_result(&text, &options).to_string(), format!("{header}]\n{object}}}"));
    // No room for the pointer.
    let narrow = TruncateOptions::new(100).field_limit(50).strategy(TruncationStrategy::Fields).store(&shelf);
    let result = truncate_result(&text, &narrow);
    assert_eq!(result.content, object + "}");
    assert!(result.to_string().starts_with(&format!("{header} | full output: /shelf/")), "{result}");
}

#[test]
fn no_two_keys_are_equal_and_none_is_forged() {
    let shelf = Shelf::default();
    let long = "x".repeat(500);
    let text = format!(
        r#"{{"_artifact_ref":1,"\u005fartifact_ref":2,"_artifact_ref_":3,"_artifact_ref___":4,"_artifact_refs":5,"in":{{"_artifact_ref":6}},"s":"{long}"}}"#
    );
    let options = TruncateOptions::new(400).field_limit(50).strategy(TruncationStrategy::Fields);
    let result = truncate_result(&text, &options.store(&shelf));
    let keys = r#"{"_artifact_ref__":1,"_artifact_ref____":2,"_artifact_ref_":3,"_artifact_ref___":4,"_artifact_refs":5,"in":{"_artifact_ref":6},"#;
    assert!(result.content.starts_with(keys), "{result}");
    assert_eq!(result.content.matches(r#""_artifact_ref":{"id":"#).count(), 1);
    // Without a pointer of ours, a key of that name would be believed all the more.
    assert!(truncate_result(&text, &options).content.starts_with(keys));
}

#[test]
fn deep_json_text_is_cut_as_text() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let options = TruncateOptions::new(100).strategy(TruncationStrategy::Fields);
    assert_eq!(truncate_result(&deep, &options).content, truncate_result(&deep, &TruncateOptions::new(100)).content);
}

#[test]
fn without_a_limit_nothing_is_cut() {
    let text = "x".repeat(100_000);
    let fitted = fit_pieces(&[&text, &text], None, None, &Shelf::broken(Broken::Create)).unwrap();
    assert_eq!((fitted.original, fitted.truncated, fitted.content.unwrap().len()), (200_000, false, 200_000));
    let mut saving = Saving { open: &mut || Opened::NeedsThread, inline_bytes: None };
    let fitted = fit(&Material::Whole(&text), &Bounds::default(), &mut saving).unwrap();
    assert_eq!((fitted.content, fitted.original), (None, 100_000), "not even copied");
}

/// Through the public function.
#[test]
fn t08_structure_is_json_below_its_header() {
    let value = json!({"fields": ["id", "txt"], "rows": [{"id": 1, "txt": "z".repeat(60_000)}]});
    let text = serde_json::to_string_pretty(&value).unwrap();
    let shelf = Shelf::default();
    for limit in [50_000, 200, 40, 30, 5, 1] {
        let options = TruncateOptions::new(limit).strategy(TruncationStrategy::Structure).store(&shelf);
        let display = truncate_result(&text, &options).to_string();
        let (header, body) = display.split_once('\n').unwrap();
        let shown: Value = serde_json::from_str(body).unwrap();
        assert!(chars(body) <= limit, "{display}");
        let there = format!("[Truncated: {} chars -> {} chars | full output: ", chars(&text), chars(body));
        assert!(header.starts_with(&there), "{header}");
        if limit >= 40 {
            assert!(shown["fields"] != Value::Null && shown["rows"] != Value::Null, "{display}");
        }
        if limit >= 30 {
            assert!(shown["_missing"].is_u64(), "{display}");
        }
    }
    // A typed value and a stream of text give the same.
    let options = TruncateOptions::new(200).strategy(TruncationStrategy::Structure);
    let content = truncate_result(&text, &options).content;
    let fitted = fit_json(&value, 200, Some(TruncationStrategy::Structure), None, &shelf).unwrap();
    assert_eq!((fitted.content.as_ref(), fitted.strategy), (Some(&content), Some(TruncationStrategy::Structure)));
    assert_eq!(fitted.shown, chars(&content));
    let mut open = || shelf.opened();
    let mut saving = Saving { open: &mut open, inline_bytes: None };
    let pieces = pieces_of(&text, &[3, 7, 100, 5_000]);
    let pour = pour_pieces(&pieces);
    let bounds = bounds(Some(200), Some(TruncationStrategy::Structure), None);
    assert_eq!(fit(&Material::Text(&pour), &bounds, &mut saving).unwrap().content, Some(content));
}

#[test]
fn what_is_no_document_has_no_structure() {
    let long = "x".repeat(500);
    for text in [format!("{{{long}"), long.clone(), "1".repeat(500), format!("[{long}]")] {
        let options = TruncateOptions::new(100);
        let result = truncate_result(&text, &options.strategy(TruncationStrategy::Structure));
        assert_eq!(result.content, truncate_result(&text, &options).content);
    }
    // Blanks alone made it too long: nothing is missing, and the header says what was done.
    let pretty = format!("{{{}\"a\": 1}}", " ".repeat(500));
    let result = truncate_result(&pretty, &TruncateOptions::new(100).strategy(TruncationStrategy::Structure));
    assert_eq!(result.to_string(), "[Truncated: 508 chars -> 7 chars]\n{\"a\":1}");
}

/// An escape, a pair and a family stay whole.
#[test]
#[cfg(feature = "graphemes")]
fn t03_no_family_is_split_inside_a_document() {
    let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}";
    let value = json!({"title": "t", "body": family.repeat(2_000)});
    for strategy in [None, Some(TruncationStrategy::Fields), Some(TruncationStrategy::Structure)] {
        for limit in 200..=260 {
            let bounds = Bounds {
                limit: Some(limit),
                strategy,
                field_limit: Some(limit / 2),
                snap: Snap::Graphemes,
                ..Bounds::default()
            };
            let mut saving = Saving { open: &mut || Opened::NoStore, inline_bytes: None };
            let pour = |push: Push<'_>, edit: Option<Edit<'_>>| pour_json(&value, push, edit);
            let content = fit(&Material::Json(&pour), &bounds, &mut saving).unwrap().content.unwrap();
            assert!(chars(&content) <= limit);
            let shown: Value = serde_json::from_str(&content).unwrap();
            let body = shown["body"].as_str().unwrap().replace(family, "");
            assert!(!body.contains(['\u{1F468}', '\u{200D}', '\u{1F469}', '\u{1F467}']), "{content}");
        }
    }
}

#[test]
fn a_limit_in_tokens_holds_for_every_strategy() {
    let value = json!({"text": "word ".repeat(400), "rows": (0..300).collect::<Vec<_>>(), "é": "漢".repeat(300)});
    let text = value.to_string();
    for strategy in [
        None,
        Some(TruncationStrategy::Head),
        Some(TruncationStrategy::HeadTail),
        Some(TruncationStrategy::Fields),
        Some(TruncationStrategy::Structure),
    ] {
        for most in [1, 20, 77, 300, 1_000, 100_000] {
            let shelf = Shelf::default();
            let mut open = || shelf.opened();
            let mut saving = Saving { open: &mut open, inline_bytes: None };
            let pour = |push: Push<'_>, edit: Option<Edit<'_>>| pour_json(&value, push, edit);
            let bounds = Bounds { tokens: Some(most), strategy, field_limit: Some(60), ..Bounds::default() };
            let fitted = fit(&Material::Json(&pour), &bounds, &mut saving).unwrap();
            let content = fitted.content.unwrap();
            assert_eq!(fitted.shown, chars(&content));
            let fits = crate::tokens::count(&text) <= most;
            assert_eq!((fitted.truncated, content == text), (!fits, fits), "{strategy:?} {most}");
            assert_eq!(shelf.texts(), if fits { vec![] } else { vec![text.clone()] });
            assert!(crate::tokens::count(&content) <= most, "{strategy:?} {most} {content}");
            // Text in memory and text that streams by give the same.
            let pieces = pieces_of(&text, &[3, 100, 900]);
            let pour = pour_pieces(&pieces);
            let strategy = strategy.unwrap_or(TruncationStrategy::Fields);
            let bounds = Bounds { strategy: Some(strategy), ..bounds };
            let streamed = fit(&Material::Text(&pour), &bounds, &mut saving).unwrap();
            assert_eq!(streamed.content.as_ref(), Some(&content));
            let whole = fit(&Material::Whole(&text), &bounds, &mut saving).unwrap();
            assert_eq!(whole.content.as_ref(), Some(&content).filter(|_| !fits));
        }
    }
}
