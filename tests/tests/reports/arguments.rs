//! Arguments as models write them.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use schemars::JsonSchema;
use serde::Deserialize;
use tool_runtime::{After, AfterCall, Coercion, Hook, Outcome, ProblemKind, Registry, Status, tool, tools};

use crate::call;

/// Crawls.
#[tool]
fn crawl(url: String, depth: Option<u32>, deep: Option<bool>) -> String {
    assert_eq!(url, "u");
    format!("{depth:?}/{deep:?}")
}

#[test]
fn a01_numbers_as_strings_are_read_or_refused_by_name() {
    let lenient = Registry::builder().tools(tools![crawl]).build().unwrap();
    let strict = Registry::builder().tools(tools![crawl]).coercion(Coercion::Strict).build().unwrap();
    let strings = call("crawl", r#"{"url":"u","depth":"2","deep":"true"}"#);
    assert_eq!(lenient.call_blocking(strings.clone()).model_text(), "Some(2)/Some(true)");
    let refused = strict.call_blocking(strings);
    assert_eq!(refused.status(), Status::InvalidArguments);
    assert!(refused.model_text().contains("1. `depth`: expected integer"), "{}", refused.model_text());
    assert!(refused.model_text().contains("got string \"2\""), "{}", refused.model_text());
    assert_eq!(refused.problems().len(), 2, "{}", refused.model_text());
    for registry in [lenient, strict] {
        let refused = registry.call_blocking(call("crawl", r#"{"url":"u","depth":"two"}"#));
        assert_eq!(refused.problems()[0].path, "/depth");
        assert!(refused.model_text().contains("got string \"two\""), "{}", refused.model_text());
    }
}

#[derive(Deserialize, JsonSchema)]
struct Ctx {
    goal: String,
}

/// Saves.
#[tool]
fn save(ctx: Ctx, raw: String) -> String {
    format!("{}|{raw}", ctx.goal)
}

#[test]
fn a03_an_object_in_a_string_is_decoded_once_and_text_stays_text() {
    let registry = Registry::builder().tools(tools![save]).build().unwrap();
    let escaped = r#"{"ctx":"{\"goal\":\"x\"}","raw":"{\"keep\":1}"}"#;
    assert_eq!(registry.call_blocking(call("save", escaped)).model_text(), r#"x|{"keep":1}"#);
    let twice = r#"{"ctx":"\"{\\\"goal\\\":\\\"x\\\"}\"","raw":"r"}"#;
    assert_eq!(registry.call_blocking(call("save", twice)).status(), Status::InvalidArguments);
}

#[test]
fn a04_no_text_at_all_is_no_arguments() {
    /// Is alive.
    #[tool]
    fn ping() -> &'static str {
        "pong"
    }
    /// Finds.
    #[tool]
    fn find(q: String) -> String {
        q
    }
    let registry = Registry::builder().tools(tools![ping, find]).build().unwrap();
    for nothing in ["", "  \n", "null", "{}"] {
        assert_eq!(registry.call_blocking(call("ping", nothing)).model_text(), "pong", "{nothing:?}");
        let outcome = registry.call_blocking(call("find", nothing));
        assert_eq!(outcome.problems()[0].kind, ProblemKind::Missing, "{nothing:?}");
        assert_eq!(outcome.problems()[0].path, "/q", "{nothing:?}");
    }
}

#[test]
fn a06_a_misspelt_name_is_never_dropped_in_silence() {
    /// Gives the context of a file.
    #[tool]
    fn context(file: String, token_budget: Option<u32>) -> String {
        assert_eq!(file, "a.py");
        format!("{token_budget:?}")
    }
    let registry = Registry::builder().tools(tools![context]).build().unwrap();
    let same = registry.call_blocking(call("context", r#"{"file":"a.py","tokenBudget":1}"#));
    assert_eq!(same.model_text(), "Some(1)");
    assert!(same.receipt().notes[0].contains("tokenBudget"), "{:?}", same.receipt().notes);
    let near = registry.call_blocking(call("context", r#"{"file":"a.py","token_bugdet":1}"#));
    assert_eq!(near.status(), Status::InvalidArguments);
    assert!(near.model_text().contains("did you mean `token_budget`"), "{}", near.model_text());
    let other = registry.call_blocking(call("context", r#"{"file":"a.py","verbose":true}"#));
    assert_eq!(other.status(), Status::Ok);
    assert!(other.model_text().starts_with("None\n\n[Notice: "), "{}", other.model_text());
    assert!(other.model_text().contains("verbose"), "{}", other.model_text());
}

#[test]
fn a07_wrong_arguments_are_a_result_that_the_model_reads() {
    /// Finds.
    #[tool]
    fn find(q: String, n: u32, #[inject] runs: &Arc<AtomicUsize>) -> String {
        runs.fetch_add(1, Ordering::SeqCst);
        format!("{q}{n}")
    }
    struct Sees(Arc<Mutex<Vec<Status>>>);
    impl Hook for Sees {
        async fn after(&self, call: &AfterCall) -> After {
            self.0.lock().unwrap().push(call.status);
            After::Keep
        }
    }
    let (runs, seen) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
    let registry =
        Registry::builder().tools(tools![find]).state(Arc::clone(&runs)).hook(Sees(Arc::clone(&seen))).build().unwrap();
    let says = |arguments: &str, name: &str| {
        let outcome: Outcome = registry.call_blocking(call("find", arguments));
        assert!(outcome.is_error() && outcome.status() == Status::InvalidArguments, "{arguments}");
        assert!(outcome.model_text().contains(&format!("1. `{name}`: ")), "{}", outcome.model_text());
    };
    says(r#"{"n":3}"#, "q");
    says(r#"{"q":"x","n":"many"}"#, "n");
    says(r#"{"q":"x"}"#, "n");
    assert_eq!(registry.call_blocking(call("fund", "{}")).status(), Status::UnknownTool);
    assert_eq!(runs.load(Ordering::SeqCst), 0);
    let wrong = Status::InvalidArguments;
    assert_eq!(*seen.lock().unwrap(), [wrong, wrong, wrong, Status::UnknownTool]);
}
