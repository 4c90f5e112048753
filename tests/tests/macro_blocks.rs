//! `#[tool]` on `impl` blocks.
#![allow(missing_docs, clippy::unwrap_used, clippy::unused_async, clippy::unused_self, clippy::needless_pass_by_value)]

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use serde::Serialize;
use tool_runtime::{Dialect, IntoTools, Outcome, RegisteredTool, Registry, ToolCall, tool, tools};

fn registry(tools: impl IntoIterator<Item = RegisteredTool>) -> Registry {
    Registry::builder().tools(tools).without_store().build().unwrap()
}

fn call(registry: &Registry, name: &str, arguments: &str) -> Outcome {
    registry.call_blocking(ToolCall::new("call_1", name, arguments))
}

#[derive(Default)]
struct Db {
    rows: Vec<String>,
    calls: AtomicU64,
}

#[derive(Serialize)]
struct Rows {
    found: Vec<String>,
}

#[tool]
impl Db {
    const LIMIT: usize = 2;

    /// Finds rows.
    ///
    /// # Arguments
    /// * `part` - what a row has to contain
    #[tool(to_model_output = Self::shown, read_only)]
    async fn query(&self, part: &str) -> Result<Rows, String> {
        std::future::ready(()).await;
        self.count();
        if part.is_empty() {
            return Err("an empty part".to_owned());
        }
        let found = self.rows.iter().filter(|row| row.contains(part)).take(Self::LIMIT);
        Ok(Rows { found: found.cloned().collect() })
    }

    /// Counts calls.
    #[tool(name = "calls")]
    pub(crate) fn how_often(self: &Self) -> u64 {
        self.count()
    }

    /// Reads a number.
    #[tool]
    fn parse(text: String) -> Result<u64, std::num::ParseIntError> {
        text.parse()
    }

    #[tool]
    fn r#type(&self, r#for: u8) -> u8 {
        r#for
    }

    #[cfg(any())]
    #[tool]
    fn absent(&self, missing: NoSuchType) {}

    #[tool]
    #[cfg(all())]
    fn present(&self) {}

    /// Not a tool.
    fn count(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn shown(rows: &Rows) -> String {
        rows.found.join("+")
    }
}

#[test]
fn methods_are_tools_of_one_value() {
    let db = Arc::new(Db { rows: vec!["ab".into(), "bc".into(), "cb".into()], ..Db::default() });
    let registry = registry(Arc::clone(&db).into_tools());
    let names: Vec<&str> = registry.tool_names().collect();
    assert_eq!(names, ["calls", "parse", "present", "query", "type"]);
    assert_eq!(call(&registry, "query", r#"{"part":"b"}"#).model_text(), "ab+bc");
    assert!(call(&registry, "query", r#"{"part":""}"#).model_text().ends_with("an empty part"));
    assert_eq!(call(&registry, "calls", "{}").model_text(), "3");
    assert_eq!(call(&registry, "parse", r#"{"text":"7"}"#).model_text(), "7");
    assert_eq!(call(&registry, "type", r#"{"for":7}"#).model_text(), "7");
    assert_eq!(db.calls.load(Ordering::Relaxed), 3);
    // Still ordinary functions.
    assert_eq!(db.how_often(), 4);
    assert_eq!(Db::parse("1".into()), Ok(1));
    db.present();
    assert_eq!(db.r#type(1), 1);
    let definition = registry.definitions(Dialect::Mcp).into_iter().find(|tool| tool["name"] == "query").unwrap();
    assert_eq!(definition["description"], "Finds rows.");
    assert_eq!(definition["inputSchema"]["properties"]["part"]["description"], "what a row has to contain");
}

#[test]
fn a_value_by_itself_has_tools_too() {
    assert_eq!(registry(Db::default().into_tools()).tool_names().count(), 5);
}

#[test]
fn only_functions_without_a_receiver_stand_alone() {
    assert_eq!(registry(tools![Db::parse]).tool_names().collect::<Vec<_>>(), ["parse"]);
    let error = Registry::builder().tools(tools![Db::query]).without_store().build().unwrap_err();
    assert!(error.is_not_a_tool());
    let message = "`Db::query` is a method and needs a value to be called on; write `.tools(value.into_tools())`";
    assert_eq!(error.to_string(), message);
    let error = Registry::builder().tools(tools![Db::reset]).without_store().build().unwrap_err();
    assert!(error.to_string().ends_with(".tools(value.admin_tools())`"), "{error}");
    let linked = Registry::builder().linked().without_store().build().unwrap();
    let names: Vec<&str> = linked.tool_names().collect();
    assert_eq!(names, ["parse"]);
}

#[tool(prefix = "db", into = admin_tools)]
impl Db {
    #[tool(destructive)]
    fn reset(&self) -> u64 {
        self.calls.swap(0, Ordering::Relaxed)
    }

    #[tool(name = "fill.up")]
    fn fill(&self) {}
}

#[test]
fn a_second_block_names_its_method_and_may_have_a_prefix() {
    let db = Arc::new(Db::default());
    let registry = registry(db.clone().admin_tools().into_iter().chain(db.into_tools()));
    let names: Vec<&str> = registry.tool_names().collect();
    assert_eq!(names, ["calls", "db_fill.up", "db_reset", "parse", "present", "query", "type"]);
}

trait Store: Send + Sync {
    type Key: Serialize + Send + Sync + 'static;
    fn get(&self, key: &str) -> Option<String>;
    fn key(&self) -> Self::Key;
}

struct Cache<S, const N: usize> {
    store: S,
}

struct Fixed;

impl Store for Fixed {
    type Key = u8;
    fn get(&self, key: &str) -> Option<String> {
        (key == "a").then(|| "A".to_owned())
    }
    fn key(&self) -> u8 {
        7
    }
}

#[tool(prefix = "cache.")]
impl<S: Store, const N: usize> Cache<S, N>
where
    S::Key: Clone,
{
    #[tool]
    async fn get(&self, key: String, #[serde(default)] others: Vec<String>) -> Option<String> {
        std::future::ready(()).await;
        self.store.get(&key).map(|found| found.repeat(N + others.len()))
    }

    #[tool(to_model_output = |key| serde_json::to_string(key).map(|key| format!("key {key}")))]
    fn key(&self) -> S::Key {
        self.store.key()
    }

    #[tool]
    fn size() -> usize {
        N
    }
}

#[test]
fn generic_blocks_give_the_tools_of_the_type_they_are_used_with() {
    let registry = registry(Cache::<_, 2> { store: Fixed }.into_tools());
    assert_eq!(call(&registry, "cache.get", r#"{"key":"a"}"#).model_text(), r#""AA""#);
    assert_eq!(call(&registry, "cache.key", "{}").model_text(), "key 7");
    assert_eq!(call(&registry, "cache.size", "{}").model_text(), "2");
    let error = Registry::builder().tools(tools![Cache::<Fixed, 2>::size]).without_store().build().unwrap_err();
    assert!(error.to_string().contains("generic block"), "{error}");
}

trait Greets {
    type Greeting;
    fn greet(&self, name: String) -> Self::Greeting;
    fn later(&self, name: &str) -> impl Future<Output = String> + Send;
    fn other(&self) -> u8;
}

struct Host(String);

#[derive(Serialize)]
struct Hello(String);

#[tool(into = greetings)]
impl Greets for Host {
    type Greeting = Hello;

    /// Greets.
    #[tool(to_model_output = |hello: &Self::Greeting| hello.0.clone())]
    fn greet(&self, name: String) -> Self::Greeting {
        Hello(format!("{} {name}", self.0))
    }

    #[tool]
    async fn later(&self, name: &str) -> String {
        format!("{} later, {name}", self.0)
    }

    fn other(&self) -> u8 {
        1
    }
}

#[test]
fn a_trait_impl_is_a_block() {
    let host = Arc::new(Host("Hello".into()));
    assert_eq!(host.other(), 1);
    let registry = registry(host.greetings());
    assert_eq!(call(&registry, "greet", r#"{"name":"Ann"}"#).model_text(), "Hello Ann");
    assert_eq!(call(&registry, "later", r#"{"name":"Ann"}"#).model_text(), "Hello later, Ann");
}

#[derive(Serialize, serde::Deserialize, schemars::JsonSchema, Default)]
struct Point {
    x: i64,
}

#[tool]
impl Point {
    #[tool(to_model_output = |Self { x }| format!("x = {x}"))]
    fn moved(&self, by: Self, to: Option<&Self>) -> Self {
        Self { x: self.x + by.x + to.map_or(0, |to| to.x) }
    }
}

struct Own<S>(S);

trait Pairs<T> {
    fn pair(&self, with: u8) -> T;
}

#[tool]
impl<S: Send + Sync + PartialEq<S>> Own<S>
where
    Self: Clone,
    Option<Self>: Sized,
{
    const LEN: usize = 2;

    fn three() -> u8 {
        3
    }

    fn doubled<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
        serde::Deserialize::deserialize(deserializer).map(|number: u8| 2 * number)
    }

    #[tool]
    fn quoted(
        &self,
        #[serde(default = "Self::three")] one: u8,
        #[serde(deserialize_with = "Self::doubled")] two: u8,
        array: [u8; 2],
    ) -> usize {
        usize::from(one + two + array[0]) + Self::LEN
    }
}

impl Clone for Own<u8> {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

#[derive(Serialize, Clone, Copy, PartialEq)]
struct Two(u8);

#[tool]
impl Pairs<(Self, Self)> for Two {
    #[tool]
    fn pair(&self, with: u8) -> (Self, Self) {
        (*self, Self(with))
    }
}

#[test]
fn self_is_the_blocks_type_in_bounds_in_the_trait_and_in_quotes() {
    let registry = registry(Own(1).into_tools().into_iter().chain(Two(1).into_tools()));
    assert_eq!(call(&registry, "quoted", r#"{"two":4,"array":[1,2]}"#).model_text(), "14");
    assert_eq!(call(&registry, "pair", r#"{"with":2}"#).model_text(), "[1,2]");
}

macro_rules! block {
    ($ty:ty, $name:ident: $number:ty) => {
        #[tool(into = from_macro)]
        impl $ty {
            /// Made by a macro.
            #[tool]
            fn $name(&self, number: $number) -> $number {
                number
            }
        }
    };
}

block!(Point, echo: u8);

#[test]
fn self_is_the_blocks_type() {
    let registry = registry(Point { x: 1 }.into_tools().into_iter().chain(Arc::new(Point::default()).from_macro()));
    assert_eq!(call(&registry, "moved", r#"{"by":{"x":2},"to":{"x":3}}"#).model_text(), "x = 6");
    assert_eq!(call(&registry, "echo", r#"{"number":2}"#).model_text(), "2");
}

mod private {
    pub(super) mod inner {
        pub(in super::super) struct Hidden;

        #[tool_runtime::tool(into = tools)]
        impl Hidden {
            #[tool_runtime::tool]
            pub(in super::super) fn visible(&self) {}
        }
    }
}

#[test]
fn blocks_stand_in_private_modules_and_in_functions() {
    struct Local;

    #[tool]
    impl Local {
        #[tool]
        fn here(&self) {}
    }

    assert_eq!(registry(Local.into_tools()).tool_names().collect::<Vec<_>>(), ["here"]);
    Local.here();
    assert_eq!(registry(Arc::new(private::inner::Hidden).tools()).tool_names().count(), 1);
    private::inner::Hidden.visible();
}
