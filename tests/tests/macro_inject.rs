//! `#[inject]` parameters: shared state, and the context of the call.
#![allow(missing_docs, clippy::unwrap_used, clippy::unused_async, clippy::needless_pass_by_value)]

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use tool_runtime::{
    CallContext, Dialect, IntoTools, Progress, RegisteredTool, Registry, RegistryBuilder, ToolCall, tool, tools,
};

fn builder(tools: impl IntoIterator<Item = RegisteredTool>) -> RegistryBuilder {
    Registry::builder().tools(tools).without_store()
}

fn text(registry: &Registry, name: &str, arguments: &str) -> String {
    registry.call_blocking(ToolCall::new("call_1", name, arguments)).model_text().to_owned()
}

struct Db {
    name: String,
    calls: AtomicUsize,
}

impl Db {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), calls: AtomicUsize::new(0) }
    }
}

trait Store: Send + Sync {
    fn load(&self, key: &str) -> String;
}

struct Upper;

impl Store for Upper {
    fn load(&self, key: &str) -> String {
        key.to_uppercase()
    }
}

type Context = CallContext;
type Shared<T> = Arc<T>;

#[tool]
async fn query(#[inject] db: &Db, sql: &str, #[inject] ctx: &Context, limit: Option<u8>) -> String {
    std::future::ready(()).await;
    let calls = db.calls.fetch_add(1, Ordering::Relaxed);
    format!("{} {calls} {sql} {limit:?} {}", db.name, ctx.call_id())
}

#[tool]
fn load(#[inject] store: &Arc<dyn Store>, key: &str, #[inject] log: &Shared<Mutex<Vec<String>>>) -> String {
    log.lock().unwrap().push(key.to_owned());
    store.load(key)
}

#[tool]
fn maybe(#[inject] db: Option<&Db>, #[inject] _: Option<&u8>) -> bool {
    db.is_some()
}

#[test]
fn state_is_found_by_its_type() {
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let store: Arc<dyn Store> = Arc::new(Upper);
    let registry = builder(tools![query, load, maybe])
        .state(Db::new("main"))
        .state(store)
        .state(Arc::clone(&log))
        .build()
        .unwrap();
    assert_eq!(text(&registry, "query", r#"{"sql":"a"}"#), "main 0 a None call_1");
    assert_eq!(text(&registry, "query", r#"{"sql":"a","limit":3}"#), "main 1 a Some(3) call_1");
    assert_eq!(text(&registry, "load", r#"{"key":"k"}"#), "K");
    assert_eq!(text(&registry, "maybe", "{}"), "true");
    assert_eq!(*log.lock().unwrap(), ["k"]);
}

#[test]
fn state_may_be_missing_where_the_type_says_so() {
    let registry = builder(tools![maybe]).build().unwrap();
    assert_eq!(text(&registry, "maybe", "{}"), "false");
}

#[test]
fn state_in_an_arc_is_another_type() {
    let error = builder(tools![query]).state(Arc::new(Db::new("main"))).build().unwrap_err().to_string();
    let expected = "tool `query`: parameter `db` needs state of type `macro_inject::Db`; there is one in an `Arc`, which is \
                    another type: give `.state(..)` the value itself";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn missing_state_names_tool_parameter_and_type() {
    let error = builder(tools![query, load]).build().unwrap_err();
    assert!(error.is_missing_state());
    let expected = "tool `load`: parameter `store` needs state of type `alloc::sync::Arc<dyn macro_inject::Store>`; \
                    add it with `.state(..)`";
    let message = error.to_string();
    assert!(message.contains(expected), "{message}");
    assert!(message.contains("tool `query`: parameter `db` needs state of type `macro_inject::Db`;"), "{message}");
    assert_eq!(message.lines().count(), 3, "{message}");
    assert!(!message.contains("CallContext"), "{message}");
}

#[test]
fn the_model_sees_no_injected_parameter() {
    let registry = builder(tools![query]).state(Db::new("main")).build().unwrap();
    let definition = &registry.definitions(Dialect::Mcp)[0];
    let names: Vec<&String> = definition["inputSchema"]["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["sql", "limit"]);
    // And what it gives under that name is not taken for it.
    assert_eq!(
        text(&registry, "query", r#"{"sql":"a","db":{"name":"evil"}}"#).lines().next(),
        Some("main 0 a None call_1")
    );
}

struct Desk;

#[tool]
impl Desk {
    /// Reports on the way.
    #[tool]
    async fn work(&self, #[inject] ctx: &CallContext, steps: u8) -> usize {
        for step in 1..=steps {
            ctx.progress(Progress::new(step.into()).of(steps.into()));
        }
        ctx.extension::<&'static str>().map_or(0, |text| text.len())
    }

    #[tool]
    fn both(&self, #[inject] db: &Db) -> String {
        db.name.clone()
    }
}

#[test]
fn methods_take_state_too() {
    let error = builder(Desk.into_tools()).build().unwrap_err();
    assert!(error.to_string().starts_with("tool `both`: parameter `db`"), "{error}");
    let registry = builder(Desk.into_tools()).state(Db::new("main")).build().unwrap();
    let seen: Arc<Mutex<Vec<f64>>> = Arc::default();
    let listener = Arc::clone(&seen);
    let call = ToolCall::new("1", "work", r#"{"steps":2}"#)
        .extension("four")
        .progress(move |progress| listener.lock().unwrap().push(progress.done));
    assert_eq!(registry.call_blocking(call).model_text(), "4");
    assert_eq!(*seen.lock().unwrap(), [1.0, 2.0]);
    assert_eq!(text(&registry, "both", "{}"), "main");
}

#[tokio::test]
async fn the_function_is_still_a_function() {
    let db = Db::new("own");
    assert!(maybe(Some(&db), None));
    let store: Arc<dyn Store> = Arc::new(Upper);
    assert_eq!(load(&store, "a", &Arc::default()), "A");
}
