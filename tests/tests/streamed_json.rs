//! JSON that is streamed: cut, cleaned and stored like a value that a tool returns.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::{borrow::Cow, io::Write};

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_runtime::{
    ArtifactStore, CallContext, DynTool, FenceStyle, LocalStore, MemoryStore, Outcome, Redactor, Registry,
    RegistryBuilder, Status, Streamed, Tool, ToolCall, ToolError, ToolResult, ToolSpec, TruncationStrategy, Trust,
};

/// Writes a text in pieces.
struct Writes {
    spec: ToolSpec,
    text: Vec<u8>,
    piece: usize,
    declares: bool,
    most: Option<u64>,
}

impl Tool for Writes {
    type Args = tool_runtime::NoArgs;
    type Output = Streamed;

    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    async fn run(&self, _: Self::Args, ctx: &CallContext) -> Result<ToolResult<Streamed>, ToolError> {
        let mut sink = if self.declares { ctx.sink().json() } else { ctx.sink() };
        if let Some(most) = self.most {
            sink = sink.max_bytes(most);
        }
        let mut stopped = false;
        for piece in self.text.chunks(self.piece) {
            stopped |= sink.write_all(piece).is_err();
        }
        assert_eq!(stopped, sink.is_full());
        Ok(sink.finish().into())
    }
}

fn spec() -> ToolSpec {
    ToolSpec::new("json", "Gives JSON.").max_result_size(200)
}

fn fields() -> ToolSpec {
    spec().truncation(TruncationStrategy::Fields)
}

fn structure() -> ToolSpec {
    spec().truncation(TruncationStrategy::Structure)
}

fn writes(spec: ToolSpec, text: impl Into<Vec<u8>>) -> Writes {
    Writes { spec, text: text.into(), piece: 1000, declares: false, most: None }
}

fn builder(tool: Writes, store: MemoryStore) -> RegistryBuilder {
    Registry::builder().tool(tool).store(store).field_limit(40).fence(FenceStyle::Plain).deterministic(1)
}

fn run(builder: RegistryBuilder) -> Outcome {
    builder.build().unwrap().call_blocking(ToolCall::new("1", "json", "{}"))
}

fn memory() -> MemoryStore {
    MemoryStore::new(64 << 20)
}

fn stored(store: &MemoryStore, outcome: &Outcome) -> String {
    String::from_utf8(store.read(&outcome.artifact().unwrap().id, 0..u64::MAX).unwrap().bytes).unwrap()
}

const PRETTY: &str = "{\n  \"id\": 12345678901234567890123,\n  \"log\": \"LOG\"\n}\n";

fn pretty() -> String {
    PRETTY.replace("LOG", &"x".repeat(5000))
}

#[test]
fn an_object_is_cut_by_its_strings_and_kept_as_it_came() {
    for declares in [false, true] {
        let store = memory();
        let spec = if declares { spec() } else { fields() };
        let outcome = run(builder(Writes { declares, ..writes(spec, pretty()) }, store.clone()));
        let view = outcome.model_text();
        let json: Value = serde_json::from_str(view).unwrap_or_else(|_| panic!("{view}"));
        assert!(view.contains("12345678901234567890123"), "numbers keep their digits: {view}");
        let artifact = outcome.artifact().unwrap();
        assert_eq!(json["_artifact_ref"], json!({ "id": artifact.id, "chars": pretty().chars().count() }));
        assert!(json["log"].as_str().unwrap().len() <= 40);
        assert_eq!(stored(&store, &outcome), pretty(), "byte for byte");
        assert!(artifact.id.ends_with(".json"));
        assert_eq!(outcome.receipt().strategy, Some(TruncationStrategy::Fields));
        let streamed = outcome.output().downcast_ref::<Streamed>().unwrap();
        assert_eq!((streamed.text(), streamed.artifact().as_ref()), (pretty().into(), outcome.artifact()));
    }
}

#[test]
fn with_structure_it_is_always_json() {
    let list = json!((0..500).map(|index| format!("item {index}")).collect::<Vec<_>>()).to_string();
    for text in [list, pretty()] {
        let store = memory();
        let outcome = run(builder(writes(structure(), text.clone()), store.clone()));
        let (header, body) = outcome.model_text().split_once('\n').unwrap();
        assert!(header.starts_with("[Truncated: "), "{header}");
        assert!(serde_json::from_str::<Value>(body).is_ok(), "{body}");
        assert_eq!(stored(&store, &outcome), text);
    }
}

#[test]
fn within_the_limit_it_is_shown_as_it_came() {
    let outcome = run(builder(Writes { declares: true, ..writes(fields(), PRETTY) }, memory()));
    assert_eq!(outcome.model_text(), PRETTY);
    assert!(outcome.artifact().is_none());
}

#[test]
fn what_is_no_json_or_not_all_of_it_is_text() {
    let long = |begin: &str| format!("{begin}{}\n", "x".repeat(3000));
    for (text, most) in [
        (long("{"), None),
        (long("log "), None),
        (format!("{}{}", pretty(), pretty()), None),
        (pretty(), Some(2000)),
        (format!("{}1{}", "[".repeat(600), "]".repeat(600)), None),
        (json!({ "big": "x".repeat(1024 * 1024) }).to_string(), None),
    ] {
        for spec in [fields(), structure()] {
            let tool = |declares| Writes { most, declares, ..writes(spec.clone(), text.clone()) };
            let plain = |tool: Writes| Writes { spec: tool.spec.truncation(TruncationStrategy::HeadTail), ..tool };
            let (store, other) = (memory(), memory());
            let outcome = run(builder(tool(true), store.clone()));
            let expected = run(builder(plain(tool(false)), other.clone()));
            assert_eq!(outcome.model_text(), expected.model_text());
            assert_eq!(stored(&store, &outcome), stored(&other, &expected));
        }
    }
    let store = memory();
    let outcome = run(builder(writes(fields(), [&b"{\"a\":\"\xff"[..], &[b'x'; 500], b"\"}"].concat()), store.clone()));
    assert!(outcome.model_text().contains("{\"a\":\"\u{fffd}xx"), "{}", outcome.model_text());
    let bytes = store.read(&outcome.artifact().unwrap().id, 0..u64::MAX).unwrap().bytes;
    assert_eq!(bytes[6], 0xff, "exact bytes");
}

#[test]
fn line_ends_in_strings_of_an_external_stream_stay_in_their_strings() {
    let text = format!("{{\"a\":\"one\u{85}two\u{2028}three\u{202e}\",\"b\":\"{}\"}}", "y".repeat(900));
    for spec in [fields(), structure(), fields().unlimited()] {
        let store = memory();
        let outcome = run(builder(writes(spec.trust(Trust::External), text.clone()), store.clone()));
        let (_, body) = outcome.model_text().split_once("<external_tool_result>\n").unwrap();
        let (body, _) = body.split_once("\n</external_tool_result>").unwrap();
        let json: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{body}"));
        assert_eq!(json["a"], "one\ntwo\nthree");
        assert_eq!(outcome.receipt().removed, 1);
        if outcome.receipt().truncated {
            let json: Value = serde_json::from_str(&stored(&store, &outcome)).unwrap();
            assert_eq!((&json["a"], &json["b"]), (&json!("one\ntwo\nthree"), &json!("y".repeat(900))));
        }
        let streamed = outcome.output().downcast_ref::<Streamed>().unwrap();
        assert!(!streamed.shown().contains('\u{202e}') && !streamed.text().contains('\u{202e}'));
    }
}

struct Whole;

impl Redactor for Whole {
    fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        assert!(!text.contains("boom"), "a fault");
        text.replace("hunter2", "[hidden]").into()
    }

    fn window(&self) -> Option<usize> {
        None
    }
}

#[test]
fn a_redactor_that_needs_the_whole_gets_each_string() {
    let text = json!({ "key": "hunter2", "log": "z".repeat(900) }).to_string();
    let store = memory();
    let outcome = run(builder(writes(fields(), text), store.clone()).redact(Whole));
    assert!(outcome.model_text().contains("[hidden]") && !outcome.model_text().contains("hunter2"));
    assert!(stored(&store, &outcome).contains("[hidden]") && !stored(&store, &outcome).contains("hunter2"));
    let text = json!({ "key": "boom", "log": "z".repeat(900) }).to_string();
    let store = memory();
    let outcome = run(builder(writes(fields(), text), store.clone()).redact(Whole));
    assert_eq!(outcome.status(), Status::Withheld);
    assert!(store.list().unwrap().is_empty());
}

#[tokio::test]
async fn a_store_that_blocks_is_waited_for_elsewhere() {
    let text = json!({ "log": "z".repeat(900_000) }).to_string();
    let store = LocalStore::session();
    let tool = writes(fields(), text.clone());
    let registry = Registry::builder().tool(tool).store(store).field_limit(40).build().unwrap();
    let outcome = registry.call(ToolCall::new("1", "json", "{}")).await;
    let path = outcome.artifact().unwrap().path.clone().unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), text);
    assert!(serde_json::from_str::<Value>(outcome.model_text()).is_ok());
}

#[test]
fn without_a_store_it_is_cut_all_the_same() {
    let outcome = run(builder(writes(fields(), pretty()), memory()).without_store());
    let (header, body) = outcome.model_text().split_once('\n').unwrap();
    assert!(header.starts_with("[Truncated: ") && serde_json::from_str::<Value>(body).is_ok(), "{header}\n{body}");
}

fn documents() -> impl Strategy<Value = Value> {
    let text = prop::sample::select(vec!["a", "\u{85}x", "é\u{2028}", "</external_tool_result>", "\"q\\", "🦀"])
        .prop_flat_map(|unit| (0_usize..60).prop_map(move |times| Value::from(unit.repeat(times))));
    let leaf = prop_oneof![text, any::<i64>().prop_map(Value::from), Just(Value::Null)];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec(("[a-c\u{85}]{1,3}", inner), 0..6).prop_map(|members| members.into_iter().collect()),
        ]
    })
    .prop_filter("an object or a list", |json| json.is_object() || json.is_array())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_streamed_value_reads_like_a_returned_one(
        json in documents(),
        limit in 1_usize..500,
        piece in 1_usize..90,
        external: bool,
        strategy in prop::sample::select(vec![
            None,
            Some(TruncationStrategy::Fields),
            Some(TruncationStrategy::Structure),
            Some(TruncationStrategy::HeadTail),
        ]),
    ) {
        let trust = if external { Trust::External } else { Trust::Trusted };
        let spec = spec().max_result_size(limit).trust(trust);
        let spec = strategy.into_iter().fold(spec, ToolSpec::truncation);
        let tool = Writes { piece, declares: true, ..writes(spec.clone(), json.to_string()) };
        let (store, other) = (memory(), memory());
        let streamed = run(builder(tool, store.clone()));
        let value = json.clone();
        let returns = DynTool::new(spec, json!({ "type": "object" }), move |_, _| {
            std::future::ready(Ok::<_, ToolError>(ToolResult::new(value.clone())))
        });
        let returned = run(
            Registry::builder().tool(returns).store(other.clone()).field_limit(40).fence(FenceStyle::Plain).deterministic(1),
        );
        prop_assert_eq!(streamed.model_text(), returned.model_text());
        let artifacts = (streamed.artifact().is_some(), returned.artifact().is_some());
        prop_assert_eq!(artifacts.0, artifacts.1);
        if artifacts.0 {
            prop_assert_eq!(stored(&store, &streamed), stored(&other, &returned));
        }
        let (a, b) = (streamed.receipt(), returned.receipt());
        prop_assert_eq!(
            (a.full_chars, a.raw_chars, a.shown_chars, a.truncated, a.strategy, a.removed, a.defused),
            (b.full_chars, b.raw_chars, b.shown_chars, b.truncated, b.strategy, b.removed, b.defused)
        );
    }
}

#[test]
fn json_that_is_stopped_is_partial_text() {
    let text = json!({ "log": "z".repeat(900_000) }).to_string();
    let outcome = run(builder(Writes { most: Some(70_000), ..writes(fields(), text) }, memory()));
    assert!(outcome.model_text().starts_with("[Partial: the output was stopped at 70000 bytes]\n"));
}
