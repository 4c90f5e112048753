//! Cuts.

use serde_json::{Value, json};
use tool_runtime::{
    Registry, Scope, Status, ToolSpec, TruncateOptions, TruncationStrategy, tool, tools, truncate_result,
};

use crate::{call, chars, returning, run, saying};

const STRATEGIES: [TruncationStrategy; 4] =
    [TruncationStrategy::HeadTail, TruncationStrategy::Head, TruncationStrategy::Fields, TruncationStrategy::Structure];

fn spec(limit: usize) -> ToolSpec {
    ToolSpec::new("cut", "Is cut.").max_result_size(limit)
}

/// The text below our header.
fn content(text: &str) -> &str {
    match text.strip_prefix("[Truncated: ") {
        Some(rest) => rest.split_once('\n').unwrap().1,
        None => text,
    }
}

#[test]
fn t01_no_character_is_cut_in_two() {
    for shift in 0..4 {
        let text = format!("{}\u{1F600}{}", "a".repeat(29_999 - shift), "b".repeat(10_000 + shift));
        for strategy in STRATEGIES {
            let tool = saying(spec(30_000).truncation(strategy), &text);
            let outcome = run(Registry::builder().tool(tool).without_store());
            let header = outcome.model_text().lines().next().unwrap();
            assert!(header.starts_with("[Truncated: 40000 chars -> "), "{header}");
            assert!(chars(content(outcome.model_text())) <= 30_000);
        }
    }
}

#[test]
fn t03_a_cut_text_is_json_again_and_no_escape_is_halved() {
    let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}";
    let values = [
        json!({ "title": "t", "body": family.repeat(2000) }),
        // Text that is JSON with escapes itself.
        json!({ "title": "t", "body": "\\ud83d\\ude00".repeat(5000) }),
    ];
    for value in values {
        for strategy in [TruncationStrategy::Fields, TruncationStrategy::Structure] {
            for limit in 200..=260 {
                let tool = returning(spec(limit).truncation(strategy), value.clone());
                let outcome = run(Registry::builder().tool(tool).without_store().field_limit(100));
                let again = serde_json::to_string(outcome.model_text()).unwrap();
                assert_eq!(serde_json::from_str::<String>(&again).unwrap(), outcome.model_text());
                // What is JSON can be read: no half of a pair stands alone in it.
                let parsed = serde_json::from_str::<Value>(content(outcome.model_text()));
                assert!(parsed.is_ok(), "{limit} {strategy:?}: {}", outcome.model_text());
            }
        }
    }
}

#[test]
fn t04_the_marker_is_part_of_what_is_limited() {
    for limit in 1..=400 {
        let text = "y".repeat(1000);
        let cut = truncate_result(&text, &TruncateOptions::new(limit));
        assert!(chars(&cut.content) <= limit, "{limit}");
        if cut.content.contains("(truncated ") {
            let marker = format!("... (truncated {} chars) ...", 1000 - limit);
            assert!(cut.content.contains(&marker), "{limit}: {}", cut.content);
        }
        for scope in [Scope::Content, Scope::Total] {
            let outcome = run(Registry::builder().tool(saying(spec(limit), &text)).scope(scope).without_store());
            let text = outcome.model_text();
            let limited = if scope == Scope::Total && limit >= 60 { text } else { content(text) };
            assert!(chars(limited) <= limit, "{limit} {scope:?}: {text}");
        }
    }
}

#[test]
fn t06_a_limit_that_nothing_fits_into_is_held() {
    let text = "0123456789".repeat(100);
    for limit in [0, 1, 5, 20, 60] {
        for strategy in STRATEGIES {
            let cut = truncate_result(&text, &TruncateOptions::new(limit).strategy(strategy));
            assert!(chars(&cut.content) <= limit, "{limit} {strategy:?}: {}", cut.content);
            assert_eq!(cut.original_size, 1000);
        }
    }
    // No tool may have it.
    let error = Registry::builder().tool(returning(spec(0), json!(1))).build().unwrap_err();
    assert!(error.is_zero_limit());
    let error = Registry::builder().default_max_result_size(0).build().unwrap_err();
    assert!(error.is_zero_limit());
}

#[test]
fn t07_the_end_of_a_few_long_lines_is_not_lost() {
    /// Builds, and says so in a few lines that are very long.
    #[tool(max_result_size = 4000, truncation = "head_tail")]
    fn build() -> String {
        let flags = "--extern serde=libserde.rlib ".repeat(400);
        let lines: Vec<String> =
            (0..6).map(|n| format!("     Running `rustc --crate-name part_{n} {flags}`")).collect();
        format!("{}\n    Finished `dev` profile [unoptimized] target(s) in 7.21s\n", lines.join("\n"))
    }
    let registry = Registry::builder().tools(tools![build]).without_store().build().unwrap();
    let outcome = registry.call_blocking(call("build", "{}"));
    assert_eq!(outcome.status(), Status::Ok);
    let text = outcome.model_text();
    assert!(text.contains("`rustc --crate-name part_0 "), "{text}");
    assert!(text.ends_with("    Finished `dev` profile [unoptimized] target(s) in 7.21s\n"), "{text}");
}

#[test]
fn t08_structure_stays_json_where_one_element_alone_is_too_long() {
    let value = json!({ "fields": ["id", "txt"], "rows": [{ "id": 1, "txt": "z".repeat(60_000) }] });
    for limit in [50_000, 200, 40, 12, 1] {
        let tool = returning(spec(limit).truncation(TruncationStrategy::Structure), value.clone());
        let outcome = run(Registry::builder().tool(tool).without_store());
        let shown = content(outcome.model_text());
        // Below four characters it is `null` all the same.
        let json: Value = serde_json::from_str(shown).unwrap();
        assert!(limit < 4 || chars(shown) <= limit, "{limit}: {shown}");
        assert!(outcome.receipt().truncated);
        if limit >= 200 {
            assert_eq!(json["fields"], json!(["id", "txt"]));
            // The flag is where something is missing.
            let text = json["rows"][0]["txt"].as_str().unwrap();
            let missing = text.split_once("… ").and_then(|(_, rest)| rest.split_once(" chars more …"));
            assert!(missing.is_some_and(|(chars, _)| chars.parse::<usize>().is_ok_and(|chars| chars > 9000)), "{text}");
        }
    }
}
