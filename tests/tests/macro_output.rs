//! What a function may return, and what its `to_model_output` hook may be.
#![allow(missing_docs, clippy::unwrap_used, clippy::unused_async, clippy::unnecessary_wraps)]

use std::{
    borrow::Cow,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use tool_runtime::{
    After, AfterCall, Hook, ModelOutput, Outcome, RegisteredTool, Registry, Status, ToolCall, ToolError, ToolResult,
    tool, tools,
};

fn call(tools: [RegisteredTool; 1], arguments: &str) -> Outcome {
    let registry = Registry::builder().tools(tools).without_store().build().unwrap();
    let name = registry.tool_names().next().unwrap().to_owned();
    registry.call_blocking(ToolCall::new("call_1", name, arguments))
}

#[derive(Debug)]
struct Failure;

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it failed")
    }
}

type Answer<T> = Result<T, Failure>;
type Wrapped<T> = Result<ToolResult<T>, Box<dyn std::error::Error + Send + Sync>>;

macro_rules! shapes {
    ($($name:ident: $ty:ty = $value:expr => $text:expr;)*) => {
        $(
            #[test]
            fn $name() {
                #[tool]
                fn now() -> $ty {
                    $value
                }
                #[tool]
                async fn later() -> $ty {
                    $value
                }
                for tools in [tools![now], tools![later]] {
                    let outcome = call(tools, "{}");
                    assert_eq!(outcome.status(), Status::Ok);
                    assert_eq!(outcome.model_text(), $text);
                }
            }
        )*
    };
}

shapes! {
    a_value: u8 = 1 => "1";
    a_text: String = "a\"b".to_owned() => "a\"b";
    a_cow: Cow<'static, str> = "a\"b".into() => "a\"b";
    a_static_text: &'static str = "a\"b" => "a\"b";
    a_boxed_text: Box<str> = "a\"b".into() => "a\"b";
    a_shared_text: Arc<str> = "a\"b".into() => "a\"b";
    a_shared_list: Arc<[u8]> = Arc::new([1]) => "[1]";
    a_shared_value: Arc<Vec<u8>> = Arc::new(vec![1]) => "[1]";
    a_list: Vec<(u8, bool)> = vec![(1, true)] => "[[1,true]]";
    an_option: Option<u8> = None => "null";
    a_json_value: Value = json!({"b": 1, "a": 2}) => r#"{"b":1,"a":2}"#;
    a_result: Result<u8, String> = Ok(1) => "1";
    an_alias: Answer<u8> = Ok(1) => "1";
    a_result_in_a_result: Answer<Result<u8, u8>> = Ok(Ok(1)) => r#"{"Ok":1}"#;
    a_tool_result: ToolResult<u8> = ToolResult::new(1).model_output("one") => "one";
    a_tool_result_in_a_result: Result<ToolResult<u8>, Failure> = Ok(ToolResult::new(1).model_output("one")) => "one";
    an_alias_of_both: Wrapped<String> = Ok(ToolResult::new("long".to_owned())) => "long";
    a_tool_error: Result<bool, ToolError> = Ok(true) => "true";
}

#[test]
fn nothing_is_nothing() {
    #[tool]
    fn nothing() {}
    assert_eq!(call(tools![nothing], "{}").model_text(), "(no output)");
}

#[test]
fn errors_are_their_display() {
    #[tool(to_model_output = |_| "never seen")]
    fn fails() -> Answer<u8> {
        Err(Failure)
    }
    #[tool]
    async fn fails_inside() -> Wrapped<u8> {
        "x".parse::<u8>()?;
        Ok(1.into())
    }
    let outcome = call(tools![fails], "{}");
    assert_eq!(outcome.status(), Status::ToolError);
    assert!(outcome.model_text().ends_with("it failed"), "{}", outcome.model_text());
    assert!(call(tools![fails_inside], "{}").model_text().ends_with("invalid digit found in string"));
}

#[derive(Serialize)]
struct City {
    name: String,
    people: u64,
}

impl City {
    fn headline(&self) -> &str {
        &self.name
    }
}

trait Brief {
    fn brief(&self) -> Cow<'_, str>;
}

impl Brief for City {
    fn brief(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.name)
    }
}

fn shown(city: &City) -> String {
    format!("{} ({})", city.name, city.people)
}

fn described<T: Brief>(value: &T) -> Result<Cow<'_, str>, Failure> {
    Ok(value.brief())
}

macro_rules! hooks {
    ($($name:ident: $hook:expr => $text:expr;)*) => {
        $(
            #[test]
            fn $name() {
                #[tool(to_model_output = $hook)]
                fn find(name: String) -> City {
                    City { name, people: 2 }
                }
                assert_eq!(call(tools![find], r#"{"name":"Paris"}"#).model_text(), $text);
            }
        )*
    };
}

hooks! {
    a_function: shown => "Paris (2)";
    a_method: City::headline => "Paris";
    a_trait_method: <City as Brief>::brief => "Paris";
    a_generic_function: described => "Paris";
    a_closure: |city| format!("{} people", city.people) => "2 people";
    a_closure_that_takes_apart: |City { name, .. }| name.to_uppercase() => "PARIS";
    a_closure_that_borrows: |city: &City| city.name.get(..2) => "Pa";
    a_json_view: |city| json!({"n": city.people}) => r#"{"n":2}"#;
    a_model_output: |city| ModelOutput::Text(city.name.clone()) => "Paris";
    no_view: |_| None::<String> => r#"{"name":"Paris","people":2}"#;
    a_failed_view: |_| Err::<String, _>(Failure) => r#"{"name":"Paris","people":2}"#;
}

static SERIALISED: AtomicUsize = AtomicUsize::new(0);

struct Counted;

impl Serialize for Counted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SERIALISED.fetch_add(1, Ordering::Relaxed);
        serializer.serialize_unit()
    }
}

#[test]
fn a_value_with_a_view_is_not_serialised_unless_somebody_looks() {
    #[tool(to_model_output = |_| "seen")]
    fn count() -> Counted {
        Counted
    }
    let outcome = call(tools![count], "{}");
    assert_eq!(outcome.model_text(), "seen");
    assert_eq!(SERIALISED.load(Ordering::Relaxed), 0);
    assert!(outcome.output().downcast_ref::<Counted>().is_some());
    assert_eq!(*outcome.output().json(), Value::Null);
    assert_eq!(SERIALISED.load(Ordering::Relaxed), 1);
}

/// Puts the same value in place of every result.
struct Replace(Value);

impl Hook for Replace {
    async fn after(&self, _: &AfterCall) -> After {
        After::Replace(self.0.clone())
    }
}

#[derive(Serialize, serde::Deserialize)]
struct Town {
    name: String,
}

#[test]
fn the_view_is_made_again_of_a_value_that_was_replaced() {
    #[tool(to_model_output = |town| format!("in {}", town.name))]
    fn readable() -> Result<Town, String> {
        Ok(Town { name: "Paris".into() })
    }
    #[tool(to_model_output = |city| format!("in {}", city.name))]
    fn unreadable() -> City {
        City { name: "Paris".into(), people: 1 }
    }
    let replaced = |tools: [RegisteredTool; 1], value: Value| {
        let registry = Registry::builder().tools(tools).hook(Replace(value)).without_store().build().unwrap();
        let name = registry.tool_names().next().unwrap().to_owned();
        registry.call_blocking(ToolCall::new("1", name, "{}")).model_text().to_owned()
    };
    assert_eq!(replaced(tools![readable], json!({"name": "Rome"})), "in Rome");
    assert_eq!(replaced(tools![readable], json!({"nam": "Rome"})), r#"{"nam":"Rome"}"#);
    // A type that can't be read back has no view of another value.
    assert_eq!(replaced(tools![unreadable], json!({"name": "Rome"})), r#"{"name":"Rome"}"#);
}
