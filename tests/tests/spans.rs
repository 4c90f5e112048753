//! The spans and events of a call: their names, what they say, and what they never say.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test")]

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use tool_runtime::{
    After, AfterCall, DynTool, Hook, MemoryStore, Registry, RegistryBuilder, ToolCall, ToolError, ToolResult, ToolSpec,
    tool, tools,
};

const SECRET: &str = "sk-TEST-0123456789abcdef";

fn hide(text: &str) -> Cow<'_, str> {
    if text.contains(SECRET) { text.replace(SECRET, "[key]").into() } else { text.into() }
}

fn call(name: &str) -> ToolCall {
    ToolCall::new("1", name, "{}")
}

#[derive(Clone, Default)]
struct Spans(
    Arc<Mutex<Vec<BTreeMap<&'static str, String>>>>,
    Arc<Mutex<HashSet<std::thread::ThreadId>>>,
    Arc<Mutex<Option<&'static tracing::Metadata<'static>>>>,
);

struct Fields<'a>(&'a mut BTreeMap<&'static str, String>);

impl tracing::field::Visit for Fields<'_> {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
    fn record_str(&mut self, field: &tracing::field::Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

impl tracing::Subscriber for Spans {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, attributes: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        let mut spans = self.0.lock().unwrap();
        *self.2.lock().unwrap() = Some(attributes.metadata());
        let mut fields = BTreeMap::new();
        attributes.record(&mut Fields(&mut fields));
        spans.push(fields);
        tracing::span::Id::from_u64(spans.len() as u64)
    }
    fn record(&self, span: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        let index = usize::try_from(span.into_u64()).unwrap() - 1;
        values.record(&mut Fields(&mut self.0.lock().unwrap()[index]));
    }
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        let mut fields = BTreeMap::new();
        event.record(&mut Fields(&mut fields));
        self.0.lock().unwrap().push(fields);
    }
    fn enter(&self, _: &tracing::span::Id) {
        self.1.lock().unwrap().insert(std::thread::current().id());
    }
    fn exit(&self, _: &tracing::span::Id) {}
    fn current_span(&self) -> tracing_core::span::Current {
        let spans = self.2.lock().unwrap();
        spans.map_or_else(tracing_core::span::Current::none, |metadata| {
            tracing_core::span::Current::new(tracing::span::Id::from_u64(1), metadata)
        })
    }
}

/// Every test of this file runs alone, and no test without a subscriber may stand in it: `tracing` caches for all
/// threads whether a place is enabled, and a thread without a subscriber would answer for the one that has one.
static ALONE: Mutex<()> = Mutex::new(());

struct Breaks;

impl Hook for Breaks {
    async fn after(&self, _: &AfterCall) -> After {
        panic!("hook {SECRET}")
    }
}

fn failing_view(_: &String) -> Result<String, String> {
    Err(format!("view {SECRET}"))
}

/// Leaks in every way.
#[tool(to_model_output = failing_view, max_result_size = 100)]
fn leaky(a: String) -> String {
    tracing::info!("inside");
    format!("{a}{}", SECRET.repeat(100))
}

fn traced(builder: RegistryBuilder) -> Vec<BTreeMap<&'static str, String>> {
    let _alone = ALONE.lock();
    let spans = Spans::default();
    tracing::subscriber::with_default(spans.clone(), || {
        let registry = builder.tools(tools![leaky]).hook(Breaks).redact(hide).build().unwrap();
        let _ = registry.call_blocking(ToolCall::new("call_7", "leaky", json!({ "a": SECRET })));
        let _ = registry.call_blocking(ToolCall::new("call_8", SECRET, json!({ "a": SECRET, "password": "hunter2" })));
        let _ = registry.call_blocking(ToolCall::new("call_9", "leaky", format!("{{\"a\": 5, \"b\": \"{SECRET}")));
    });
    let spans = spans.0.lock().unwrap();
    spans.clone()
}

#[test]
fn spans_carry_names_and_no_content() {
    let spans = traced(Registry::builder());
    assert!(!format!("{spans:?}").contains("0123456789abcdef"), "{spans:#?}");
    assert!(!format!("{spans:?}").contains("[key]"), "{spans:#?}");
    let calls: Vec<_> = spans.iter().filter(|span| span.contains_key("gen_ai.operation.name")).collect();
    assert_eq!(calls.len(), 3);
    assert_eq!(calls[0]["otel.name"], "execute_tool leaky");
    assert_eq!(calls[0]["gen_ai.operation.name"], "execute_tool");
    assert_eq!(calls[0]["gen_ai.tool.name"], "leaky");
    assert_eq!(calls[0]["gen_ai.tool.call.id"], "call_7");
    assert_eq!(calls[0]["gen_ai.tool.type"], "function");
    assert_eq!(calls[0]["tool_runtime.status"], "ok");
    assert!(!calls[0].contains_key("error.type"));
    assert_eq!(calls[1]["otel.name"], "execute_tool");
    assert!(!calls[1].contains_key("gen_ai.tool.name"));
    assert_eq!(calls[1]["error.type"], "unknown_tool");
    assert_eq!(calls[1]["otel.status_code"], "ERROR");
    assert_eq!(calls[2]["error.type"], "invalid_arguments");
    // One warning for the hook and one for the view, with the tool's name.
    let told = |what: &str| spans.iter().filter(|span| span.get("message").is_some_and(|text| text == what)).count();
    assert_eq!(told("a hook came to no decision"), 3);
    assert_eq!(told("a view was not used"), 1);
    assert_eq!(told("inside"), 1);
}

#[test]
fn content_is_traced_on_request_and_then_redacted() {
    let spans = traced(Registry::builder().trace_content());
    assert!(!format!("{spans:?}").contains("0123456789abcdef"), "{spans:#?}");
    let calls: Vec<_> = spans.iter().filter(|span| span.contains_key("gen_ai.operation.name")).collect();
    assert_eq!(calls[0]["gen_ai.tool.call.arguments"], r#"{"a":"[key]"}"#);
    assert!(calls[0]["gen_ai.tool.call.result"].starts_with("[Truncated: "));
    assert_eq!(calls[1]["gen_ai.tool.name"], "[key]");
    assert_eq!(calls[2]["gen_ai.tool.call.arguments"], r#"{"a": 5, "b": "[key]"#);
}

#[test]
fn p10_a_save_that_fails_is_one_warning() {
    let _alone = ALONE.lock();
    let spans = Spans::default();
    tracing::subscriber::with_default(spans.clone(), || {
        let long = DynTool::new(ToolSpec::new("long", "Is long."), json!({ "type": "object" }), |_, _| {
            std::future::ready(Ok(ToolResult::new(json!("x".repeat(5000)))))
        });
        let store = MemoryStore::new(1000);
        let registry = Registry::builder().tool(long).store(store).default_max_result_size(200).build().unwrap();
        assert!(registry.call_blocking(call("long")).model_text().contains("full output: not saved (store is full)]"));
    });
    let spans = spans.0.lock().unwrap();
    let warnings: Vec<_> = spans.iter().filter(|event| event.contains_key("message")).collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!(warnings[0]["tool"], "long");
}

#[test]
fn a_call_that_is_dropped_ends_its_span_as_cancelled() {
    let _alone = ALONE.lock();
    let spans = Spans::default();
    tracing::subscriber::with_default(spans.clone(), || {
        let endless = DynTool::new(ToolSpec::new("endless", "Waits."), json!({ "type": "object" }), |_, _| {
            std::future::pending::<Result<ToolResult<Value>, ToolError>>()
        });
        let registry = Registry::builder().tool(endless).build().unwrap();
        let mut running = Box::pin(registry.call(call("endless")));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(running.as_mut().poll(&mut context).is_pending());
    });
    let spans = spans.0.lock().unwrap();
    assert_eq!((&*spans[0]["error.type"], &*spans[0]["tool_runtime.status"]), ("cancelled", "cancelled"));
}

#[test]
fn a_tool_is_inside_its_span_on_whatever_thread_it_runs() {
    /// Says where it runs.
    #[tool(blocking, timeout = "10s", to_model_output = |_| "ran")]
    fn apart(#[inject] place: &Arc<Mutex<Option<std::thread::ThreadId>>>) {
        *place.lock().unwrap() = Some(std::thread::current().id());
    }
    let _alone = ALONE.lock();
    let place = Arc::new(Mutex::new(None));
    let spans = Spans::default();
    tracing::subscriber::with_default(spans.clone(), || {
        let registry = Registry::builder().tools(tools![apart]).state(Arc::clone(&place)).build().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for inside in [true, false] {
            let outcome = if inside {
                runtime.block_on(registry.call(call("apart")))
            } else {
                registry.call_blocking(call("apart"))
            };
            assert_eq!(outcome.model_text(), "ran");
            let place = place.lock().unwrap().take().unwrap();
            assert_ne!(place, std::thread::current().id());
            assert!(spans.1.lock().unwrap().contains(&place));
        }
    });
}

/// Looks at nothing; calls take the long way for it.
struct Idle;

impl Hook for Idle {}

#[test]
fn a_call_with_a_hook_leaves_the_same_traces_as_one_without() {
    let _alone = ALONE.lock();
    let seen = |has_hook: bool, asks: fn(&Registry, ToolCall) -> bool| {
        let spans = Spans::default();
        tracing::subscriber::with_default(spans.clone(), || {
            let builder = Registry::builder().tools(tools![leaky]).redact(hide).trace_content().deterministic(1);
            let registry = if has_hook { builder.hook(Idle) } else { builder }.build().unwrap();
            for (name, arguments) in [
                ("leaky", json!({ "a": SECRET }).to_string()),
                ("Leaky()", json!({ "a": 5 }).to_string()),
                ("leaky", "{\"a\":".to_owned()),
                (SECRET, "{}".to_owned()),
            ] {
                asks(&registry, ToolCall::new("1", name, arguments));
            }
        });
        let spans = spans.0.lock().unwrap();
        spans.clone()
    };
    let waits: fn(&Registry, ToolCall) -> bool = |registry, call| registry.call_blocking(call).is_error();
    let asynchronous: fn(&Registry, ToolCall) -> bool = |registry, call| {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(registry.call(call)).is_error()
    };
    let expected = seen(true, waits);
    assert!(expected.len() > 4, "{expected:?}");
    for (has_hook, asks) in [(false, waits), (true, asynchronous), (false, asynchronous)] {
        assert_eq!(seen(has_hook, asks), expected, "{has_hook}");
    }
}

fn said(text: &str) -> Result<String, String> {
    if text == "fails" { Err("a failure".to_owned()) } else { Ok(text.to_owned()) }
}

/// Says it.
#[tool(to_model_output = |text: &String| if text == "unviewed" { Err("no view") } else { Ok(text.clone()) })]
fn says(text: &str) -> Result<String, String> {
    said(text)
}

/// Says it later.
#[tool]
async fn says_later(text: &str) -> Result<String, String> {
    tokio::task::yield_now().await;
    said(text)
}

/// Panics.
#[tool]
fn panics() {
    panic!("a fault injected by a test")
}

mod plain {
    #[tool_runtime::tool]
    pub(super) fn other() {}
}

mod asking {
    #[tool_runtime::tool(max_result_size = 5, external, keep = always, max_concurrent = 1)]
    pub(super) fn other() {}
}

#[test]
fn a_plain_call_leaves_the_same_traces_whichever_stages_its_registry_has() {
    let _alone = ALONE.lock();
    let seen = |make: &dyn Fn() -> RegistryBuilder, is_waited_for: bool| {
        let spans = Spans::default();
        tracing::subscriber::with_default(spans.clone(), || {
            let registry = make().tools(tools![says, says_later, panics]).without_store().build().unwrap();
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            for (name, arguments) in [
                ("says", r#"{"text":"a"}"#),
                ("says", r#"{"text":"fails"}"#),
                ("says", r#"{"text":"unviewed","more":1}"#),
                ("Says()", r#"{"text":["a"]}"#),
                ("says_later", r#"{"text":"a"}"#),
                ("says_later", r#"{"text":"fails"}"#),
                ("panics", "{}"),
                ("nothing", "{}"),
            ] {
                let call = ToolCall::new("1", name, arguments);
                let _ = match is_waited_for {
                    true => registry.call_blocking(call),
                    false => runtime.block_on(registry.call(call)),
                };
            }
        });
        let spans = spans.0.lock().unwrap();
        spans.clone()
    };
    for is_waited_for in [true, false] {
        let expected = seen(&|| Registry::builder().tools(tools![plain::other]), is_waited_for);
        assert_eq!(expected.iter().filter(|span| span.contains_key("tool_runtime.status")).count(), 8);
        let others: [&dyn Fn() -> RegistryBuilder; 4] = [
            &|| Registry::builder().tools(tools![asking::other]),
            &|| Registry::builder().tools(tools![plain::other]).hook(Idle),
            &|| Registry::builder().tools(tools![plain::other]).default_max_result_size(usize::MAX),
            &|| Registry::builder().tools(tools![plain::other]).redact_with(|text| text.into()),
        ];
        for (index, other) in others.into_iter().enumerate() {
            assert_eq!(seen(other, is_waited_for), expected, "{index}, {is_waited_for}");
        }
    }
}
