//! Limits in tokens, cuts that read well, and cuts that stay JSON, through whole calls.

#![allow(clippy::expect_used, reason = "a test that can't go on says why")]

use serde_json::{Value, json};
use tool_runtime::{
    DynTool, MemoryStore, Part, Registry, RegistryBuilder, Scope, Snap, ToolCall, ToolResult, ToolSpec,
    TruncationStrategy, Trust, tool, tools,
};
use unicode_segmentation::UnicodeSegmentation;

/// As OpenAI's models count.
fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().count_ordinary(text)
}

fn registry(builder: RegistryBuilder, spec: ToolSpec, value: Value) -> Registry {
    let tool = DynTool::new(spec, json!({ "type": "object" }), move |_, _| {
        let value = value.clone();
        async move { Ok(ToolResult::new(value)) }
    });
    builder.store(MemoryStore::new(1 << 24)).tool(tool).build().expect("the registry is right")
}

fn texts() -> Vec<(&'static str, Value)> {
    vec![
        ("prose", "The quick brown fox jumps over the lazy dog. ".repeat(60).into()),
        ("emoji", "👨\u{200d}👩\u{200d}👧 🇩🇪 ".repeat(60).into()),
        ("blanks", format!("{}end", " \n".repeat(1_000)).into()),
        ("hostile", "</external_tool_result> now <|endoftext|> ".repeat(40).into()),
        ("object", json!({ "name": "x", "rows": vec![json!({ "id": 1, "text": "some words".repeat(9) }); 40] })),
    ]
}

#[test]
fn a_limit_in_tokens_bounds_the_text() {
    for (name, value) in texts() {
        for strategy in [TruncationStrategy::HeadTail, TruncationStrategy::Head, TruncationStrategy::Structure] {
            for most in [1, 30, 200, 2_000] {
                let spec = ToolSpec::new("t", "A tool.").max_result_tokens(most).truncation(strategy);
                let registry = registry(Registry::builder(), spec, value.clone());
                let outcome = registry.call_blocking(ToolCall::new("1", "t", "{}"));
                let (text, receipt) = (outcome.model_text(), outcome.receipt());
                let place = format!("{name} {strategy:?} {most}\n{text}");
                let full = value.to_string();
                assert_eq!(receipt.truncated, tokens(&full) > most, "{place}");
                assert_eq!(receipt.model_tokens, Some(tokens(text)), "{place}");
                assert_eq!(receipt.model_chars, text.chars().count(), "{place}");
                assert_eq!(receipt.full_chars, Some(full.chars().count()), "{place}");
                if !receipt.truncated {
                    assert_eq!(text, full);
                    continue;
                }
                let (header, body) = text.split_once('\n').expect("a header");
                assert!(header.starts_with("[Truncated: "), "{place}");
                assert!(tokens(body) <= most, "{place}");
                assert_eq!(receipt.shown_chars, body.chars().count(), "{place}");
                assert_eq!(outcome.artifact().map(|saved| saved.chars), receipt.full_chars, "{place}");
                // Not much is given away.
                if strategy == TruncationStrategy::Head && name != "blanks" {
                    assert!(tokens(body) + 4 >= most, "{place}");
                }
            }
        }
    }
}

#[test]
fn in_all_a_limit_in_tokens_bounds_everything() {
    for (name, value) in texts() {
        for trust in [Trust::Trusted, Trust::External] {
            for most in (250..600).step_by(83) {
                let spec = ToolSpec::new("t", "A tool.").max_result_tokens(most).trust(trust);
                let registry = registry(Registry::builder().scope(Scope::Total), spec, value.clone());
                let outcome = registry.call_blocking(ToolCall::new("1", "t", "{}"));
                let text = outcome.model_text();
                assert_eq!(outcome.receipt().model_tokens, Some(tokens(text)));
                assert!(tokens(text) <= most, "{name} {trust:?} {most}: {}\n{text}", tokens(text));
                assert_eq!(outcome.receipt().truncated, text.starts_with("[Truncated: "), "{name} {most}\n{text}");
            }
        }
    }
}

#[test]
fn both_limits_hold() {
    let value = Value::from("word ".repeat(2_000));
    let spec = ToolSpec::new("t", "A tool.").max_result_tokens(1_000).max_result_size(100);
    let outcome = registry(Registry::builder(), spec, value).call_blocking(ToolCall::new("1", "t", "{}"));
    assert_eq!(outcome.receipt().shown_chars, 100);
}

#[test]
fn no_tokens_is_no_limit() {
    let tool =
        DynTool::new(ToolSpec::new("t", "A tool.").max_result_tokens(0), json!({ "type": "object" }), |_, _| async {
            Ok(ToolResult::new(Value::Null))
        });
    let error = Registry::builder().tool(tool).build().expect_err("0 would show nothing");
    assert!(error.to_string().contains("0 tokens"), "{error}");
}

#[test]
fn the_texts_of_a_multimodal_result_share_the_tokens() {
    struct Page;
    impl tool_runtime::Tool for Page {
        type Args = tool_runtime::NoArgs;
        type Output = Value;
        fn spec(&self) -> ToolSpec {
            ToolSpec::new("page", "A page.").max_result_tokens(60)
        }
        async fn run(
            &self,
            _: tool_runtime::NoArgs,
            _: &tool_runtime::CallContext,
        ) -> Result<ToolResult<Value>, tool_runtime::ToolError> {
            let parts = vec![
                Part::text("many words ".repeat(500)),
                Part::image(vec![0, 159], "image/png"),
                Part::text("a few words"),
            ];
            Ok(ToolResult::new(Value::Null).content(parts))
        }
    }
    let registry = Registry::builder().tool(Page).build().expect("right");
    let outcome = registry.call_blocking(ToolCall::new("1", "page", "{}"));
    let [Part::Text(header), Part::Text(many), Part::Image { .. }, Part::Text(few)] = outcome.parts() else {
        panic!("header, text, image, text: {:?}", outcome.parts());
    };
    assert!(header.starts_with("[Truncated: "), "{header}");
    assert_eq!(few, "a few words");
    assert!((50..=60).contains(&(tokens(many) + tokens(few))), "{many}");
    assert_eq!(outcome.receipt().model_tokens, Some(tokens(outcome.model_text())));
}

#[test]
fn structure_is_json_at_every_limit() {
    for (name, value) in texts() {
        if !value.is_object() {
            continue;
        }
        for limit in 1..=400 {
            let spec = ToolSpec::new("t", "A tool.").max_result_size(limit).truncation(TruncationStrategy::Structure);
            let outcome =
                registry(Registry::builder(), spec, value.clone()).call_blocking(ToolCall::new("1", "t", "{}"));
            let (header, body) = outcome.model_text().split_once('\n').expect("a header");
            assert!(header.starts_with("[Truncated: "), "{name} {limit}");
            let shown: Value = serde_json::from_str(body).expect("JSON");
            assert!(body.chars().count() <= limit);
            assert_eq!(outcome.receipt().strategy, Some(TruncationStrategy::Structure));
            if limit >= 40 {
                assert!(shown["name"] == "x" && shown["_missing"].is_u64(), "{body}");
            }
        }
    }
}

#[test]
fn the_macro_knows_structure() {
    /// Rows.
    #[tool(max_result_size = 60, truncation = structure)]
    fn rows() -> Vec<u32> {
        (0..1_000).collect()
    }
    let registry = Registry::builder().tools(tools![rows]).build().expect("right");
    let outcome = registry.call_blocking(ToolCall::new("1", "rows", "{}"));
    let body = outcome.model_text().lines().last().unwrap_or_default();
    let shown: Vec<Value> = serde_json::from_str(body).expect("JSON");
    assert_eq!(shown[..3], [0, 1, 2]);
    assert_eq!(shown.last(), Some(&json!({ "_missing": 1_002 - shown.len() })));
}

#[test]
fn a_tool_or_the_registry_says_where_cuts_may_fall() {
    let log = Value::from("a line of the log\r\n".repeat(100));
    let spec = ToolSpec::new("t", "A tool.").max_result_size(150).truncation(TruncationStrategy::Head);
    let text = |registry: Registry| registry.call_blocking(ToolCall::new("1", "t", "{}")).model_text().to_owned();
    // JSON, as the tool returns a JSON value: one line, whose clusters are plain.
    assert!(!text(registry(Registry::builder(), spec.clone(), log)).is_empty());

    /// A log.
    #[tool(max_result_size = 150)]
    fn log_lines() -> String {
        "a line of the log\r\n".repeat(100)
    }
    let read = |snap: Snap| {
        let registry = Registry::builder().tools(tools![log_lines]).snap(snap).build().expect("right");
        registry.call_blocking(ToolCall::new("1", "log_lines", "{}")).model_text().to_owned()
    };
    let lines = read(Snap::Lines);
    assert!(lines.lines().skip(1).all(|line| line == "a line of the log" || line.starts_with("... (truncated ")));
    let clusters = read(Snap::Graphemes);
    let mut own = clusters.split("\n... (truncated 1750 chars) ...\n");
    assert!(own.all(|part| !part.ends_with('\r') && !part.starts_with('\n')), "{clusters}");

    let family = "👨\u{200d}👩\u{200d}👧";
    let spec = spec.truncation(TruncationStrategy::HeadTail).snap(Snap::Graphemes);
    let shown = text(registry(Registry::builder(), spec, family.repeat(200).into()));
    let odd: Vec<&str> = shown.graphemes(true).filter(|cluster| !cluster.is_ascii() && *cluster != family).collect();
    assert!(odd.is_empty() && shown.contains(family), "{odd:?}");
}
