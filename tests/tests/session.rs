//! Sessions and turns through the public API; tests named after a report's id hold what that report found missing.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that can't go on says why")]

use std::{
    collections::BTreeMap,
    future::{Future, pending},
    panic,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_runtime::{
    After, AfterCall, ArtifactStore, Before, BeforeCall, CallContext, CancellationToken, Dialect, DynTool, Hook,
    LoopGuard, LoopKey, LoopVerdict, MemoryStore, Outcome, Part, RegisteredTool, Registry, RegistryBuilder, Session,
    Status, Tool, ToolCall, ToolError, ToolResult, ToolSpec, Trust, tool, tools,
};

type Args = serde_json::Map<String, Value>;
type Answer = dyn Fn(&Args, &CallContext) -> Result<String, ToolError> + Send + Sync;

/// A tool that answers with text.
struct Text {
    spec: ToolSpec,
    answer: Box<Answer>,
}

impl Tool for Text {
    type Args = Args;
    type Output = String;
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }
    async fn run(&self, arguments: Args, ctx: &CallContext) -> Result<ToolResult<String>, ToolError> {
        Ok((self.answer)(&arguments, ctx)?.into())
    }
}

/// Answers with the next of the texts, and with the last one from then on; `!` begins an error.
fn scripted(spec: ToolSpec, texts: &[&str]) -> RegisteredTool {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let calls = AtomicUsize::new(0);
    let answer = Box::new(move |_: &Args, _: &CallContext| {
        let text = &texts[calls.fetch_add(1, Ordering::Relaxed).min(texts.len() - 1)];
        match text.strip_prefix('!') {
            Some(error) => Err(ToolError::new(error)),
            None => Ok(text.clone()),
        }
    });
    Text { spec, answer }.into()
}

fn registry(tools: impl IntoIterator<Item = impl Into<RegisteredTool>>) -> Registry {
    with_tools(Registry::builder(), tools)
}

fn with_tools(builder: RegistryBuilder, tools: impl IntoIterator<Item = impl Into<RegisteredTool>>) -> Registry {
    tools.into_iter().fold(builder, |builder, tool| builder.tool(tool)).build().expect("the registry is right")
}

fn spec(name: &'static str) -> ToolSpec {
    ToolSpec::new(name, "A tool.")
}

fn call(name: &str, arguments: impl Into<tool_runtime::Arguments>) -> ToolCall {
    ToolCall::new("1", name, arguments)
}

fn is_noted(outcome: &Outcome) -> bool {
    outcome.model_text().contains("\n[Notice: ")
}

fn wait<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(future)
}

#[test]
fn m06_a_tool_taken_out_is_gone_from_every_path() {
    let run = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&run);
    let delete = DynTool::new(spec("delete").destructive(), json!({ "type": "object" }), move |_, _| {
        counter.fetch_add(1, Ordering::Relaxed);
        async { Ok(ToolResult::new(Value::Null)) }
    });
    let read = scripted(spec("read").tag("files"), &["x"]);
    let write = scripted(spec("write").tag("files").tag("writing"), &["x"]);
    let all = registry([read, write, delete.into()]);
    let smaller = all.without("delete");
    let session = smaller.session();
    let names = |registry: &Registry| registry.tool_names().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(names(&smaller), ["read", "write"]);
    assert_eq!(names(session.registry()), ["read", "write"]);
    for dialect in [Dialect::OpenAiChat, Dialect::Anthropic, Dialect::Gemini, Dialect::Mcp] {
        assert!(!smaller.definitions_json(dialect).contains("delete"));
        assert!(!session.definitions_json(dialect).contains("delete"));
        assert_eq!(session.definitions(dialect), smaller.definitions(dialect));
        assert!(all.definitions_json(dialect).contains("delete"));
    }
    for name in ["delete", "Delete", "functions.delete", "delete()"] {
        assert_eq!(smaller.call_blocking(call(name, "{}")).status(), Status::UnknownTool, "{name}");
        assert_eq!(session.call_blocking(call(name, "{}")).status(), Status::UnknownTool, "{name}");
        assert_eq!(wait(smaller.call(call(name, "{}"))).status(), Status::UnknownTool, "{name}");
        assert_eq!(wait(smaller.call_all(vec![call(name, "{}")]))[0].status(), Status::UnknownTool, "{name}");
        assert_eq!(wait(session.call_all(vec![call(name, "{}")]))[0].status(), Status::UnknownTool, "{name}");
        assert!(smaller.check(&call(name, "{}")).is_err());
    }
    assert!(!smaller.call_blocking(call("delet", "{}")).model_text().contains("`delete`"));
    assert_eq!(run.load(Ordering::Relaxed), 0);
    assert!(!all.call_blocking(call("delete", "{}")).is_error());

    assert_eq!(names(&all.only(["files"])), ["read", "write"]);
    assert_eq!(names(&all.only(["writing", "else"])), ["write"]);
    assert_eq!(names(&all.only(["files"]).without("read")), ["write"]);
    assert!(names(&all.only([])).is_empty());
    assert_eq!(names(&all.without("no such tool")), ["delete", "read", "write"]);
}

#[test]
fn l01_a_poll_that_changes_is_no_loop_and_a_cycle_of_three_is() {
    let polls = registry([scripted(spec("read_output"), &["12%", "40%", "done"])]).session();
    for text in ["12%", "40%", "done"] {
        assert_eq!(polls.call_blocking(call("read_output", json!({"h": 1}))).model_text(), text);
    }

    let tools = [
        scripted(spec("read"), &["fn main() {}"]),
        scripted(spec("edit"), &["!no such text"]),
        scripted(spec("test"), &["!1 failed"]),
    ];
    let cycle = registry(tools).session();
    let mut noted = Vec::new();
    for round in 1..=4 {
        for name in ["read", "edit", "test"] {
            let outcome = cycle.call_blocking(call(name, "{}"));
            assert_ne!(outcome.status(), Status::Blocked);
            assert!(!outcome.output().text().contains("Notice"), "the full result stays clean");
            if is_noted(&outcome) {
                noted.push((round, name));
            }
        }
    }
    assert_eq!(noted, [(3, "test")]);
    assert!(!cycle.halted());
}

#[test]
fn l03_the_order_of_keys_and_fields_that_do_not_count_make_no_difference() {
    let by_guard = with_tools(
        Registry::builder().loop_guard(LoopGuard::new().ignore(["request_id"])),
        [scripted(spec("t"), &["same"])],
    );
    let by_tool = registry([scripted(spec("t").loop_key(LoopKey::except(["request_id"])), &["same"])]);
    for registry in [by_guard, by_tool] {
        let session = registry.session();
        let same = [
            r#"{"q":"a","n":1,"token":"hunter2","request_id":1}"#,
            r#"{"request_id":2,"token":"hunter2","n":1,"q":"a"}"#,
            r#"{"n":1.0,"q":"a","token":"hunter2","request_id":"three"}"#,
            r#"{ "n" : 1, "q" : "a", "token" : "hunter2" }"#,
        ];
        for (index, arguments) in same.into_iter().enumerate() {
            let outcome = session.call_blocking(call("t", arguments));
            assert_eq!(is_noted(&outcome), index + 1 == 3, "{arguments}: {}", outcome.model_text());
            assert!(!outcome.model_text().contains("hunter2"));
        }
        let blocked = session.call_blocking(call("t", same[0]));
        assert_eq!(blocked.status(), Status::Blocked);
        assert!(!blocked.model_text().contains("hunter2") && blocked.model_text().contains("Don't repeat it"));
        let other = session.call_blocking(call("t", same[0].replace("\"a\"", "\"b\"")));
        assert_eq!(other.model_text(), "same");
    }
}

#[test]
fn the_guard_notes_blocks_probes_and_halts() {
    use LoopVerdict::{Block, Halt, Note, Pass, Probe};
    let session = registry([scripted(spec("t"), &["same"]), scripted(spec("other"), &["x"])]).session();
    let next = || session.call_blocking(call("t", "{}"));
    let verdict = || session.check_loop(&call("t", "{}"));
    let mut seen = Vec::new();
    for _ in 0..7 {
        let foreseen = verdict();
        assert_eq!(verdict(), foreseen, "asking changes nothing");
        let outcome = next();
        assert_eq!(foreseen.runs(), outcome.status() == Status::Ok);
        assert_eq!(outcome.is_error(), outcome.status() == Status::Blocked);
        seen.push((foreseen, is_noted(&outcome)));
    }
    let expected =
        [(Pass, false), (Pass, false), (Note, true), (Pass, false), (Block, false), (Probe, true), (Halt, false)];
    assert_eq!(seen, expected);
    assert!(session.halted());
    let refused = session.call_blocking(call("other", "{}"));
    assert_eq!(refused.status(), Status::Blocked);
    assert!(refused.model_text().starts_with("[Halted, not run] "), "{}", refused.model_text());
    assert_eq!(session.call_blocking(call("no_such_tool", "{}")).status(), Status::Blocked);
    assert_eq!(refused.receipt().notes, ["not run: the loop guard has halted the session"]);
    session.reset();
    assert!(!session.halted());
    assert_eq!(next().model_text(), "same");
}

#[test]
fn reading_tools_have_more_patience_and_counts_are_settable() {
    let counts = |session: &Session| -> Vec<usize> {
        (1..=8).filter(|_| is_noted(&session.call_blocking(call("t", "{}")))).collect()
    };
    let noted_at = |session: &Session| (1..=8).find(|_| is_noted(&session.call_blocking(call("t", "{}"))));
    for reading in [spec("t").read_only(), spec("t").idempotent()] {
        assert_eq!(noted_at(&registry([scripted(reading, &["x"])]).session()), Some(5));
    }
    let two = Registry::builder().loop_guard(LoopGuard::new().others(2, u32::MAX, u32::MAX));
    assert_eq!(noted_at(&with_tools(two, [scripted(spec("t"), &["x"])]).session()), Some(2));
    let off = Registry::builder().loop_guard(LoopGuard::off());
    assert!(counts(&with_tools(off, [scripted(spec("t"), &["x"])]).session()).is_empty());
    let wrong = Registry::builder().loop_guard(LoopGuard::new().others(4, 3, 5)).build();
    assert!(wrong.is_err_and(|error| error.is_invalid_loop_guard()));
}

#[test]
fn outside_a_session_nothing_is_counted() {
    let registry = registry([scripted(spec("t"), &["same"])]);
    for _ in 0..20 {
        assert_eq!(registry.call_blocking(call("t", "{}")).model_text(), "same");
    }
}

fn is_shareable<T: Send + Sync + Clone + 'static>(_: &T) {}

#[test]
fn sessions_and_their_clones() {
    let registry = registry([scripted(spec("t"), &["same"])]);
    let (one, two) = (registry.session(), registry.without("x").session());
    assert_ne!(one.id(), two.id());
    assert_eq!(one.clone().id(), one.id());
    for _ in 0..7 {
        let _ = one.call_blocking(call("t", "{}"));
    }
    assert!(one.halted() && one.clone().halted() && !two.halted());
    is_shareable(&one);
    is_shareable(&registry);
}

#[test]
fn errors_and_calls_that_did_not_fit_are_results_too() {
    #[tool]
    fn strict(n: u8) -> u8 {
        n
    }
    #[tool]
    fn broken() -> u8 {
        panic!("always")
    }
    let session = || Registry::builder().tools(tools![strict, broken]).build().expect("right").session();
    for (name, arguments) in [("strict", r#"{"n":"x"}"#), ("strict", "not json"), ("broken", "{}"), ("none", "{}")] {
        let session = session();
        let outcomes: Vec<Outcome> = (0..5).map(|_| session.call_blocking(call(name, arguments))).collect();
        let noted: Vec<bool> = outcomes.iter().map(is_noted).collect();
        assert_eq!(noted, [false, false, true, false, false], "{name} {arguments}");
        assert_eq!(outcomes[4].status(), Status::Blocked, "{name} {arguments}");
    }
}

#[test]
fn notices_reach_the_model_in_every_kind_of_view() {
    #[tool]
    fn object() -> Value {
        json!({"a": 1})
    }
    #[tool(to_model_output = |_| "a summary")]
    fn summary() -> u8 {
        1
    }
    #[tool]
    fn picture() -> Vec<Part> {
        vec![Part::text("a picture"), Part::image(vec![1, 2, 3], "image/png")]
    }
    #[tool(external)]
    fn page() -> String {
        "from outside".to_owned()
    }
    #[tool(max_result_size = 40)]
    fn long() -> String {
        "x".repeat(1000)
    }
    let tools = tools![object, summary, picture, page, long];
    let session = Registry::builder().tools(tools).build().expect("right").session();
    for name in ["object", "summary", "picture", "page", "long"] {
        let outcomes: Vec<Outcome> = (0..5).map(|_| session.call_blocking(call(name, "{}"))).collect();
        let notice = "\n[Notice: this is call 3 in a row";
        assert!(outcomes[2].model_text().contains(notice), "{name}: {}", outcomes[2].model_text());
        let last = outcomes[2].parts().last().expect("at least one part");
        assert!(matches!(last, Part::Text(text) if text.contains("[Notice: ")), "{name}");
        assert!(!is_noted(&outcomes[3]), "{name}");
        let close = outcomes[2].model_text().find("</external_tool_result");
        assert!(close.is_none_or(|close| close < outcomes[2].model_text().find(notice).expect("there")));
        // Ours, so it stands in no fence.
        assert_eq!(outcomes[4].status(), Status::Blocked);
        assert!(outcomes[4].model_text().starts_with("[Not run] This is call 5"), "{}", outcomes[4].model_text());
    }
}

#[test]
fn what_the_tool_shows_beside_its_value_counts_too() {
    let frames = AtomicUsize::new(0);
    let camera = DynTool::new(spec("camera"), json!({ "type": "object" }), move |arguments, _| {
        let frame = frames.fetch_add(1, Ordering::Relaxed);
        async move {
            let result = ToolResult::new(Value::Null);
            Ok(match arguments["as"].as_str() {
                Some("view") => result.model_output(format!("frame {frame}")),
                Some("still") => result.content(vec![Part::image(vec![0], "image/png")]),
                _ => result.content(vec![Part::image(frame.to_le_bytes(), "image/png")]),
            })
        }
    });
    let session = registry([camera]).session();
    let noted = |kind: &str| {
        let arguments = json!({ "as": kind });
        (0..4).filter(|_| is_noted(&session.call_blocking(call("camera", arguments.clone())))).count()
    };
    assert_eq!((noted("view"), noted("image"), noted("still")), (0, 0, 1));
}

#[test]
fn artifacts_belong_to_their_session() {
    let store = MemoryStore::new(1 << 20);
    let builder = Registry::builder().store(store.clone()).default_max_result_size(100);
    let registry = with_tools(builder, [scripted(spec("t"), &[&"a".repeat(500), &"b".repeat(500)])]);
    let (one, two) = (registry.session(), registry.session());
    let (first, second) = (one.call_blocking(call("t", "{}")), two.call_blocking(call("t", "{}")));
    let again = two.call_blocking(call("t", "{}"));
    assert_eq!(one.artifacts(), [first.artifact().expect("saved").clone()]);
    assert_eq!(two.artifacts(), [second.artifact().expect("saved").clone()]);
    assert_eq!(again.artifact(), second.artifact());
    let of = |session: &Session| {
        let entries = store.list().expect("a list");
        entries.iter().filter(|entry| entry.meta.session.as_deref() == Some(session.id())).count()
    };
    assert_eq!((of(&one), of(&two)), (1, 1));
}

#[test]
fn the_tool_and_the_approver_learn_the_session() {
    let answer = Box::new(|_: &Args, ctx: &CallContext| Ok(ctx.session().unwrap_or("none").to_owned()));
    let whoami = Text { spec: spec("whoami").approval(), answer };
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let approver = move |request: tool_runtime::ApprovalRequest| {
        seen.lock().expect("no panic").push(request.session.as_deref().map(str::to_owned));
        async { true }
    };
    let registry = with_tools(Registry::builder().approver(approver), [whoami]);
    let session = registry.session();
    assert_eq!(session.call_blocking(call("whoami", "{}")).model_text(), session.id());
    assert_eq!(wait(session.call_all(vec![call("whoami", "{}")]))[0].model_text(), session.id());
    assert_eq!(registry.call_blocking(call("whoami", "{}")).model_text(), "none");
    let id = Some(session.id().to_owned());
    assert_eq!(*asked.lock().expect("no panic"), [id.clone(), id, None]);
}

#[test]
fn hooks_learn_the_session_and_the_guard_sees_what_the_tool_returned() {
    struct Hiding(Arc<Mutex<Vec<Option<String>>>>);
    impl Hook for Hiding {
        async fn before(&self, call: &BeforeCall) -> Before {
            self.0.lock().expect("no panic").push(call.session.as_deref().map(str::to_owned));
            Before::Go
        }
        async fn after(&self, call: &AfterCall) -> After {
            self.0.lock().expect("no panic").push(call.session.as_deref().map(str::to_owned));
            After::Replace("hidden".into())
        }
    }
    let seen = Arc::new(Mutex::new(Vec::new()));
    let builder = Registry::builder().hook(Hiding(Arc::clone(&seen)));
    let tools = [scripted(spec("poll"), &["1", "2", "3", "4", "5", "6"]), scripted(spec("same"), &["x"])];
    let registry = with_tools(builder, tools);
    let session = registry.without("no such tool").session();
    for _ in 0..6 {
        assert_eq!(session.call_blocking(call("poll", "{}")).model_text().trim_matches('"'), "hidden");
    }
    let noted = (0..3).filter(|_| is_noted(&session.call_blocking(call("same", "{}")))).count();
    assert_eq!(noted, 1);
    assert_eq!(*seen.lock().expect("no panic"), vec![Some(session.id().to_owned()); 18]);
}

#[test]
fn a_hook_that_blocks_again_and_again_is_a_loop_too() {
    struct No;
    impl Hook for No {
        async fn before(&self, _: &BeforeCall) -> Before {
            Before::Block("not today".into())
        }
    }
    let session = with_tools(Registry::builder().hook(No), [echo()]).session();
    let outcomes: Vec<Outcome> = (0..3).map(|_| session.call_blocking(call("read", "{}"))).collect();
    assert!(outcomes.iter().all(|outcome| outcome.status() == Status::Blocked));
    assert!(!is_noted(&outcomes[1]) && is_noted(&outcomes[2]));
}

fn echo() -> RegisteredTool {
    let answer = Box::new(|arguments: &Args, _: &CallContext| {
        let said = &arguments["p"];
        Ok(said.as_str().map_or_else(|| said.to_string(), str::to_owned))
    });
    Text { spec: spec("read"), answer }.into()
}

#[test]
fn k01_a_panic_stays_in_its_call() {
    #[tool]
    fn boom(n: u32) -> u32 {
        let empty: Vec<u32> = vec![];
        empty[n as usize]
    }
    #[tool]
    async fn ok() -> &'static str {
        "ok"
    }
    let quiet = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let session = Registry::builder().tools(tools![boom, ok]).build().expect("right").session();
    let calls = ["ok", "boom", "ok", "boom", "ok"]
        .map(|name| call(name, r#"{"n":3}"#.replace("{\"n\":3}", if name == "boom" { r#"{"n":3}"# } else { "{}" })));
    let outcomes = wait(session.call_all(calls.into()));
    panic::set_hook(quiet);
    let statuses: Vec<Status> = outcomes.iter().map(Outcome::status).collect();
    assert_eq!(statuses, [Status::Ok, Status::Panicked, Status::Ok, Status::Panicked, Status::Ok]);
    assert!(outcomes[1].model_text().contains("index out of bounds"));
    assert_eq!(session.call_blocking(call("boom", "{}")).status(), Status::InvalidArguments);
}

#[test]
fn k03_calls_of_one_id_are_kept_apart() {
    let registry = registry([echo()]);
    let calls = || {
        vec![
            ToolCall::new("read", "read", json!({"p": "a"})),
            ToolCall::new("read", "read", json!({"p": "b"})),
            ToolCall::new("", "read", json!({"p": "c"})),
        ]
    };
    for outcomes in [wait(registry.call_all(calls())), wait(registry.session().call_all(calls()))] {
        let seen: Vec<_> = outcomes.iter().map(|outcome| (outcome.call_id(), outcome.model_text())).collect();
        assert_eq!(seen, [("read", "a"), ("read", "b"), ("", "c")]);
    }
    assert!(wait(registry.call_all(Vec::new())).is_empty());
}

#[test]
fn k06_each_call_of_a_turn_has_one_end_whatever_is_cancelled() {
    struct Alive(Arc<AtomicUsize>);
    impl Drop for Alive {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let alive = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&alive);
    let slow = DynTool::new(spec("slow"), json!({ "type": "object" }), move |_, _| {
        counter.fetch_add(1, Ordering::Relaxed);
        let here = Alive(Arc::clone(&counter));
        async move {
            pending::<()>().await;
            drop(here);
            Ok(ToolResult::new(Value::Null))
        }
    });
    let session = registry([slow.into(), echo()]).session();
    wait(async {
        let (token, late) = (CancellationToken::new(), CancellationToken::new());
        let calls = vec![
            call("slow", "{}").cancel(token.clone()),
            call("read", json!({"p": 1})).cancel(late.clone()),
            call("slow", "{}").cancel(token.clone()),
        ];
        let turn = session.call_all(calls);
        let canceller = async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            token.cancel();
        };
        let (outcomes, ()) = tokio::join!(turn, canceller);
        late.cancel();
        let statuses: Vec<Status> = outcomes.iter().map(Outcome::status).collect();
        assert_eq!(statuses, [Status::Cancelled, Status::Ok, Status::Cancelled]);
        assert_eq!(alive.load(Ordering::Relaxed), 0);

        let turn = session.call_all(vec![call("read", json!({"p": 2})), call("slow", "{}"), call("slow", "{}")]);
        assert!(tokio::time::timeout(Duration::from_millis(20), turn).await.is_err());
        assert_eq!(alive.load(Ordering::Relaxed), 0, "dropping the turn drops its tools");
        assert_eq!(session.call(call("read", json!({"p": 3}))).await.model_text(), "3");
    });
}

/// What must be the same on every path: all but the time it took and the store's names.
fn facts(outcome: &Outcome) -> (Status, String, Vec<String>, Value) {
    let mut receipt = serde_json::to_value(outcome.receipt()).expect("JSON");
    receipt["duration"] = Value::Null;
    (outcome.status(), outcome.model_text().to_owned(), vec![outcome.output().text().into_owned()], receipt)
}

/// Tools whose answer depends on the arguments alone, so that it doesn't matter which of two equal calls runs first.
fn steady() -> Registry {
    let long = |spec: ToolSpec| {
        DynTool::new(spec, json!({ "type": "object" }), |arguments, _| async move {
            tokio::task::yield_now().await;
            if arguments["fail"] == true {
                return Err(ToolError::new("it failed"));
            }
            Ok(ToolResult::new(json!({ "arguments": arguments, "text": "long ".repeat(40) })))
        })
    };
    let tools = [
        long(spec("plain").max_result_size(120)),
        long(spec("reading").read_only().trust(Trust::External).max_result_size(90)),
        long(spec("breaking").destructive()),
    ];
    with_tools(Registry::builder().deterministic(7).without_store(), tools)
}

#[test]
fn k07_every_path_gives_the_same_outcomes() {
    let script: Vec<ToolCall> = [
        "plain", "plain", "plain", "reading", "plain", "plain", "plain", "plain", "plain", "plain", "plain", "reading",
    ]
    .into_iter()
    .map(|name| call(name, "{}"))
    .collect();
    let one = steady().session();
    let blocking: Vec<_> = script.iter().map(|call| facts(&one.call_blocking(call.clone()))).collect();
    let two = steady().session();
    let awaited: Vec<_> = script.iter().map(|call| facts(&wait(two.call(call.clone())))).collect();
    let three = steady().session();
    let together: Vec<_> = wait(three.call_all(script.clone())).iter().map(facts).collect();
    assert_eq!(blocking, awaited);
    assert_eq!(blocking, together);
    assert!(one.halted() && two.halted() && three.halted());
    assert!(blocking.iter().any(|(status, ..)| *status == Status::Blocked));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_turn_ends_as_if_its_calls_ran_one_after_the_other(
        turns in proptest::collection::vec(proptest::collection::vec((0..4_usize, 0..2_u8), 0..12), 1..4),
        max_concurrent in 1..5_usize,
    ) {
        let names = ["plain", "reading", "breaking", "missing"];
        let builder = Registry::builder().deterministic(7).max_concurrent(max_concurrent).without_store()
            .loop_guard(LoopGuard::new().others(2, 3, 6).read_only(3, 4, 9));
        let tools = ["plain", "reading", "breaking"].map(|name| {
            let spec = match name { "reading" => spec(name).read_only(), "breaking" => spec(name).destructive(), _ => spec(name) };
            DynTool::new(spec, json!({ "type": "object" }), |arguments, _| async move {
                for _ in 0..arguments["n"].as_u64().unwrap_or(0) {
                    tokio::task::yield_now().await;
                }
                Ok(ToolResult::new(arguments))
            })
        });
        let registry = with_tools(builder, tools);
        let (alone, together) = (registry.session(), registry.session());
        let script: Vec<Vec<ToolCall>> = turns.iter().map(|turn| {
            turn.iter().map(|&(name, n)| call(names[name], json!({ "n": n }))).collect()
        }).collect();
        wait(async {
            for turn in script {
                let mut expected = Vec::new();
                for call in &turn {
                    expected.push(facts(&alone.call(call.clone()).await));
                }
                let got: Vec<_> = together.call_all(turn).await.iter().map(facts).collect();
                assert_eq!(got, expected);
                assert_eq!(together.halted(), alone.halted());
            }
        });
    }
}

#[test]
fn parallel_polls_with_different_answers_are_no_loop() {
    let texts: Vec<String> = (0..20).map(|n| format!("{n}%")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let session = registry([scripted(spec("poll"), &texts)]).session();
    let outcomes = wait(session.call_all((0..20).map(|_| call("poll", "{}")).collect()));
    for (n, outcome) in outcomes.iter().enumerate() {
        assert_eq!(outcome.model_text(), format!("{n}%"));
    }
}

/// A tool that notes when it starts and ends, and how many run beside it.
fn watched(spec: ToolSpec, log: &Arc<Mutex<Vec<String>>>, running: &Arc<AtomicUsize>) -> DynTool {
    let (log, running) = (Arc::clone(log), Arc::clone(running));
    let name = spec.name().to_owned();
    DynTool::new(spec, json!({ "type": "object" }), move |arguments, _| {
        let (log, running, name) = (Arc::clone(&log), Arc::clone(&running), name.clone());
        async move {
            let beside = running.fetch_add(1, Ordering::SeqCst) + 1;
            log.lock().expect("no panic").push(format!("{name}{}", arguments["n"]));
            tokio::time::sleep(Duration::from_millis(15)).await;
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(ToolResult::new(Value::from(beside)))
        }
    })
}

#[test]
fn a_turn_runs_at_once_within_its_limit_and_what_may_destroy_runs_in_order() {
    let (log, running) = (Arc::default(), Arc::default());
    let tools = || {
        [
            watched(spec("read"), &log, &running),
            watched(spec("drop").destructive(), &log, &running),
            watched(spec("pay").approval(), &log, &running),
        ]
    };
    let numbered = |name: &str, n: usize| call(name, json!({ "n": n }));
    let most = |outcomes: &[Outcome]| outcomes.iter().filter_map(|o| o.output().json().as_u64()).max();
    let yes = |_: tool_runtime::ApprovalRequest| async { true };

    let all = with_tools(Registry::builder().approver(yes), tools());
    let outcomes = wait(all.call_all((0..16).map(|n| numbered("read", n)).collect()));
    assert_eq!(most(&outcomes), Some(16));

    let four = with_tools(Registry::builder().approver(yes).max_concurrent(4), tools());
    for outcomes in [
        wait(four.call_all((0..12).map(|n| numbered("read", n)).collect())),
        wait(four.session().call_all((0..12).map(|n| numbered("read", n)).collect())),
    ] {
        assert_eq!(most(&outcomes), Some(4));
    }

    log.lock().expect("no panic").clear();
    let outcomes = wait(all.session().call_all(vec![
        numbered("drop", 0),
        numbered("pay", 1),
        numbered("read", 2),
        numbered("drop", 3),
    ]));
    assert!(outcomes.iter().all(|outcome| outcome.status() == Status::Ok));
    assert_eq!(most(&outcomes), Some(2), "one that may destroy, beside one that reads");
    let order: Vec<String> =
        log.lock().expect("no panic").iter().filter(|name| !name.starts_with("read")).cloned().collect();
    assert_eq!(order, ["drop0", "pay1", "drop3"]);
}

#[test]
fn a_turn_is_held_to_its_budget() {
    let sizes: BTreeMap<&str, usize> = [("small", 100), ("middle", 3000), ("large", 20_000)].into();
    let tools = |trust: Trust| {
        sizes
            .iter()
            .map(move |(&name, &size)| {
                scripted(ToolSpec::new(name, "A tool.").trust(trust), &[&"word ".repeat(size / 5)])
            })
            .collect::<Vec<_>>()
    };
    for trust in [Trust::Trusted, Trust::External] {
        for budget in [1200, 2500, 4000, 10_000, 22_000, 30_000] {
            let store = MemoryStore::new(1 << 20);
            let builder = Registry::builder().turn_budget(budget).store(store.clone());
            let session = with_tools(builder, tools(trust)).session();
            let outcomes = wait(session.call_all(["large", "small", "middle"].map(|name| call(name, "{}")).into()));
            let lengths: Vec<usize> = outcomes.iter().map(|outcome| outcome.model_text().chars().count()).collect();
            let place = format!("{trust:?} {budget} {lengths:?}");
            assert!(lengths.iter().sum::<usize>() <= budget, "{place}");
            assert!(!outcomes[1].receipt().truncated, "{place}");
            for outcome in &outcomes {
                let receipt = outcome.receipt();
                assert_eq!(receipt.model_chars, outcome.model_text().chars().count(), "{place}");
                assert_eq!(receipt.truncated, outcome.model_text().starts_with("[Truncated: "), "{place}");
                assert_eq!(receipt.truncated, outcome.artifact().is_some(), "{place}");
            }
            let cut = outcomes.iter().filter(|outcome| outcome.receipt().truncated).count();
            assert_eq!(store.list().expect("a list").len(), cut, "saved once: {place}");
            assert_eq!(session.artifacts().len(), cut, "{place}");
            assert_eq!(
                cut,
                match budget {
                    30_000 => 0,
                    10_000 | 22_000 => 1,
                    _ => 2,
                },
                "{place}"
            );
        }
    }
    assert!(Registry::builder().turn_budget(0).build().is_err_and(|error| error.is_zero_limit()));
}

#[test]
fn a_budget_meets_limits_views_parts_errors_and_wrong_calls() {
    #[tool(max_result_size = 2000)]
    fn limited() -> String {
        "a".repeat(9000)
    }
    #[tool(to_model_output = |text| text[..3000].to_owned())]
    fn viewed() -> String {
        "b".repeat(50_000)
    }
    #[tool]
    fn parts() -> Vec<Part> {
        vec![Part::text("c".repeat(4000)), Part::image(vec![7; 5000], "image/png"), Part::text("short")]
    }
    #[tool]
    fn failing() -> Result<(), String> {
        Err("d".repeat(6000))
    }
    #[tool]
    fn object() -> Value {
        json!({ "text": "e".repeat(5000), "n": 1 })
    }
    let tools = tools![limited, viewed, parts, failing, object];
    let store = MemoryStore::new(1 << 20);
    let registry = Registry::builder().tools(tools).store(store.clone()).turn_budget(4000).build().expect("right");
    let names = ["limited", "viewed", "parts", "failing", "object", "nothing", "limited"];
    let mut calls: Vec<ToolCall> = names.iter().map(|name| call(name, "{}")).collect();
    calls.push(call("limited", "{\"unknown\": "));
    let outcomes = wait(registry.call_all(calls));
    let total: usize = outcomes.iter().map(|outcome| outcome.model_text().chars().count()).sum();
    assert!(total <= 4000, "{total}");
    assert!(total > 3000, "the budget is used: {total}");
    let statuses: Vec<Status> = outcomes.iter().map(Outcome::status).collect();
    let expected = [
        Status::Ok,
        Status::Ok,
        Status::Ok,
        Status::ToolError,
        Status::Ok,
        Status::UnknownTool,
        Status::Ok,
        Status::InvalidArguments,
    ];
    assert_eq!(statuses, expected);
    assert!(
        outcomes[1].model_text().contains("of a summary | full output (50000 chars)"),
        "{}",
        outcomes[1].model_text()
    );
    assert!(outcomes[2].parts().iter().any(|part| matches!(part, Part::Image { data, .. } if data.len() == 5000)));
    assert!(
        outcomes[3].model_text().starts_with("[Tool error]\n[Truncated: 6000 chars -> "),
        "{}",
        outcomes[3].model_text()
    );
    // Two calls of one tool with one result are one artifact.
    assert_eq!(store.list().expect("a list").len(), 5);
}

#[test]
fn sixty_four_threads_share_a_session_and_a_registry() {
    #[tool(max_result_size = 50)]
    fn double(n: u64) -> String {
        format!("{:0>80}", 2 * n)
    }
    #[tool]
    fn count() -> u64 {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        CALLS.fetch_add(1, Ordering::Relaxed) as u64
    }
    let registry =
        Registry::builder().tools(tools![double, count]).store(MemoryStore::new(1 << 30)).build().expect("right");
    let session = registry.session();
    let seen = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for thread in 0..64_u64 {
            let (session, seen) = (&session, &seen);
            scope.spawn(move || {
                let mut counts = Vec::new();
                for n in 0..500 {
                    let number = thread * 1000 + n % 50;
                    let outcome = session.call_blocking(call("count", "{}"));
                    counts.push(outcome.output().json().as_u64().expect("a number"));
                    let id = format!("{thread}/{n}");
                    let outcome = session.call_blocking(ToolCall::new(id.as_str(), "double", json!({ "n": number })));
                    assert_eq!(outcome.call_id(), id);
                    assert_eq!(outcome.output().text(), format!("{:0>80}", 2 * number));
                    assert!(outcome.artifact().is_some());
                }
                seen.lock().expect("no panic").extend(counts);
            });
        }
    });
    let mut seen = seen.into_inner().expect("no panic");
    seen.sort_unstable();
    assert_eq!(seen, (0..32_000).collect::<Vec<_>>());
    assert_eq!(session.artifacts().len(), 64 * 50);
    assert!(!session.halted());
}

#[test]
fn equal_calls_from_many_threads_bring_one_notice() {
    let builder = Registry::builder().loop_guard(LoopGuard::new().others(100, u32::MAX, u32::MAX));
    let session = with_tools(builder, [scripted(spec("t"), &["same"])]).session();
    let noted = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                for _ in 0..50 {
                    noted.fetch_add(is_noted(&session.call_blocking(call("t", "{}"))).into(), Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(noted.load(Ordering::Relaxed), 1);
}

#[test]
fn a_large_turn_does_not_slow_down_with_its_square() {
    let registry = registry([echo()]);
    let calls = |count: usize| (0..count).map(|n| call("read", json!({ "p": n }))).collect::<Vec<_>>();
    let time = |count: usize| {
        let session = registry.session();
        let began = std::time::Instant::now();
        let outcomes = wait(session.call_all(calls(count)));
        for (n, outcome) in outcomes.iter().enumerate() {
            assert_eq!(outcome.model_text(), n.to_string());
        }
        began.elapsed()
    };
    // The best of a few: whatever else the machine does can only take longer.
    let best = |count: usize| (0..3).map(|_| time(count)).min().unwrap_or_default();
    let (small, large) = (best(2000), best(20_000));
    assert!(large < small * 40, "{small:?} {large:?}");
}
