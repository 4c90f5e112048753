//! Every row of `cases/args.json` (`Coercion::Strict`) and of `cases/arguments.json` (`Coercion::Lossless`), through
//! every way to make a tool: as parameters of a function, as a struct of a hand-written tool, and known at run time.
//! The stage that decides is tested beside its code; here the whole call is.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::{
    collections::{BTreeSet, HashMap},
    time::{Duration, Instant},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_runtime::{
    CallContext, Coercion, DynTool, Outcome, Problem, ProblemKind, Registry, Status, Tool, ToolCall, ToolError,
    ToolResult, ToolSpec, tool, tools,
};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Inner {
    x: i32,
    y: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Op {
    Insert { at: u32, text: String },
    Delete { from: u32, to: u32 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Flex {
    N(i64),
    S(String),
    O(Inner),
}

/// The same parameters as a function, as a struct, and as a schema without a type. Each gives back what it was given.
macro_rules! three_ways {
    ($module:ident: $($(#[$attribute:meta])* $field:ident: $ty:ty,)*) => {
        mod $module {
            use super::*;

            #[derive(Serialize, Deserialize, JsonSchema)]
            struct Args { $($(#[$attribute])* $field: $ty,)* }

            /// Gives back its arguments.
            #[tool]
            fn t($($(#[$attribute])* $field: $ty,)*) -> Value {
                serde_json::to_value(Args { $($field,)* }).unwrap()
            }

            struct Whole;

            impl Tool for Whole {
                type Args = Args;
                type Output = Args;

                fn spec(&self) -> ToolSpec {
                    ToolSpec::new("t", "Gives back its arguments.")
                }

                async fn run(&self, args: Args, _: &CallContext) -> Result<ToolResult<Args>, ToolError> {
                    Ok(args.into())
                }
            }

            pub(super) fn registries(coercion: Coercion) -> [Registry; 3] {
                let builder = || Registry::builder().coercion(coercion).without_store();
                let schema = schemars::schema_for!(Args).into();
                let untyped = DynTool::new(ToolSpec::new("t", ""), schema, |args, _| async { Ok(ToolResult::new(args)) });
                [builder().tools(tools![t]), builder().tool(Whole), builder().tool(untyped)].map(|it| it.build().unwrap())
            }
        }
    };
}

three_ways! { args:
    n: u32,
    #[serde(default)] d: u32,
    #[serde(default)] f: f64,
    #[serde(default)] b: bool,
    #[serde(default)] s: String,
    #[serde(default)] o: Option<u8>,
    #[serde(default)] l: Vec<String>,
    #[serde(default)] i: Vec<Inner>,
    #[serde(default)] u: Option<Unit>,
    #[serde(default)] op: Option<Op>,
    #[serde(default)] fx: Option<Flex>,
    #[serde(default)] m: HashMap<String, u8>,
    #[serde(default)] set: BTreeSet<u8>,
    #[serde(default)] t: Option<(i32, String)>,
    #[serde(default)] c: Option<char>,
    #[serde(default)] big: Option<u64>,
    #[serde(default)] v: Option<Value>,
}

three_ways! { plain:
    n: i64,
    #[serde(default)] s: Option<String>,
    #[serde(default)] o: Option<Value>,
}

three_ways! { text: s: String, }

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Deny {
    a: u8,
}

struct Denies;

impl Tool for Denies {
    type Args = Deny;
    type Output = ();

    fn spec(&self) -> ToolSpec {
        ToolSpec::new("t", "Takes `a` alone.")
    }

    async fn run(&self, _: Deny, _: &CallContext) -> Result<ToolResult<()>, ToolError> {
        Ok(ToolResult::new(()))
    }
}

fn rows(table: &str) -> Vec<Value> {
    let table: Value = serde_json::from_str(table).unwrap();
    table.get("rows").unwrap_or(&table).as_array().unwrap().clone()
}

/// Whether `value` has at least what `wanted` has.
fn holds(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Object(value), Value::Object(wanted)) => {
            wanted.iter().all(|(key, wanted)| holds(value.get(key).unwrap_or(&Value::Null), wanted))
        }
        (Value::Array(value), Value::Array(wanted)) => {
            value.len() == wanted.len() && value.iter().zip(wanted).all(|(value, wanted)| holds(value, wanted))
        }
        _ => value == wanted,
    }
}

fn told(problems: &[Problem]) -> Vec<[&str; 3]> {
    problems.iter().map(|problem| [&*problem.path, &*problem.expected, &*problem.got]).collect()
}

fn message_holds(id: &str, outcome: &Outcome, expect: &Value) {
    let text = outcome.model_text();
    if let Some(whole) = expect["text"].as_str() {
        assert_eq!(text, whole, "{id}");
    }
    for part in expect["text_contains"].as_array().into_iter().flatten() {
        assert!(text.contains(part.as_str().unwrap()), "{id}: {text}");
    }
    if let Some(most) = expect["got_preview_max_chars"].as_u64() {
        assert!(outcome.problems()[0].got.chars().count() as u64 <= most, "{id}");
    }
}

#[test]
fn every_row_of_the_lossless_table() {
    let (args, texts) = (args::registries(Coercion::Lossless), text::registries(Coercion::Lossless));
    let denies = [Registry::builder().tool(Denies).without_store().build().unwrap()];
    for row in rows(include_str!("../cases/arguments.json")) {
        let (id, expect) = (row["id"].as_str().unwrap(), &row["expect"]);
        let registries = match id {
            // Of a dialect in which a value is told as text.
            "arg-73" => continue,
            "arg-68" => &denies[..],
            "arg-75" => &texts,
            _ => &args,
        };
        let arguments = row["arguments"].as_str().unwrap_or("null").replace("<200 kB string>", &"x".repeat(200_000));
        for registry in registries {
            let call = ToolCall::new("1", "t", arguments.as_str()).incomplete(id == "arg-67");
            let outcome = registry.call_blocking(call);
            message_holds(id, &outcome, expect);
            if let Some(ok) = expect.get("ok") {
                assert_eq!(outcome.status(), Status::Ok, "{id}: {}", outcome.model_text());
                assert!(holds(&outcome.output().json(), ok), "{id}: {}", outcome.output().json());
                let notes: Value = outcome.receipt().notes.clone().into();
                assert_eq!(&notes, expect.get("notes").unwrap_or(&json!([])), "{id}");
                continue;
            }
            assert_eq!(outcome.status(), Status::InvalidArguments, "{id}: {}", outcome.model_text());
            let kind = outcome.problems()[0].kind;
            match expect["error"].as_str() {
                Some("not_an_object") => assert_eq!(kind, ProblemKind::NotAnObject, "{id}"),
                Some("duplicate_key") => assert_eq!(kind, ProblemKind::DuplicateKey, "{id}"),
                Some("truncated") => assert_eq!(kind, ProblemKind::CutOff, "{id}"),
                Some("invalid_json") => assert_eq!(kind, ProblemKind::InvalidJson, "{id}"),
                Some("invalid_arguments") | None => {}
                Some(other) => panic!("{id} expects {other}"),
            }
            let Some(issues) = expect.get("issues").or(expect["structured"].get("issues")) else { continue };
            let problems = told(outcome.problems());
            assert_eq!(problems.len(), issues.as_array().unwrap().len(), "{id}: {problems:?}");
            for ([path, expected, got], issue) in problems.into_iter().zip(issues.as_array().unwrap()) {
                // The root is the empty pointer.
                assert_eq!(
                    path,
                    issue["path"].as_str().unwrap().trim_end_matches('/'),
                    "{id}: {}",
                    outcome.model_text()
                );
                assert_eq!(expected, issue["expected"], "{id}");
                // Where it is unparsable is said behind.
                assert!(got.starts_with(issue["got"].as_str().unwrap()), "{id}: {got}");
            }
        }
    }
}

/// The argument text that a row spells out or describes.
fn input_of(input: &Value) -> Option<String> {
    if let Some(text) = input.as_str() {
        return Some(text.to_owned());
    }
    let number = |key: &str| usize::try_from(input[key].as_u64().unwrap()).unwrap();
    match input["gen"].as_str()? {
        "nested_arrays" => {
            let depth = number("depth");
            let nested = "[".repeat(depth) + &"]".repeat(depth);
            Some(if input["inside_object"] == true { format!("{{\"n\":{nested}}}") } else { nested })
        }
        "string_field" => Some(format!("{{\"{}\":\"{}\"}}", input["field"].as_str()?, "x".repeat(number("bytes")))),
        other => panic!("{other}"),
    }
}

#[test]
fn every_row_of_the_strict_table() {
    let registries = plain::registries(Coercion::Strict);
    for row in rows(include_str!("../cases/args.json")) {
        let (id, expect) = (row["id"].as_str().unwrap(), &row["expect"]);
        // The others are of what a tool does, and have tests of their names.
        let Some(input) = input_of(&row["input"]) else { continue };
        for registry in &registries {
            let began = Instant::now();
            let outcome = registry.call_blocking(ToolCall::new("1", "t", input.as_str()));
            // Not the row's milliseconds: what is not linear takes minutes, and a busy machine some seconds.
            assert!(began.elapsed() < Duration::from_secs(20), "{id}");
            let (kinds, text) = (outcome.problems().iter().map(|problem| problem.kind), outcome.model_text());
            if expect["ok"] == true {
                assert_eq!(outcome.status(), Status::Ok, "{id}: {text}");
            } else if let Some(error) = expect["error"].as_str().or(expect["error_any"][1].as_str()) {
                assert_eq!(outcome.status(), Status::InvalidArguments, "{id}: {text}");
                let names: Vec<String> = kinds.map(|kind| snake_case(&format!("{kind:?}"))).collect();
                assert!(names.iter().any(|name| name == error), "{id}: {names:?}");
            } else {
                assert_eq!(expect["ok_or_error"], true, "{id}");
            }
            if let Some(path) = expect["path"].as_str() {
                let pointer = path.trim_start_matches('$').replace('.', "/");
                assert!(outcome.problems().iter().any(|problem| problem.path == pointer), "{id}: {text}");
            }
            if let Some(shown) = expect["message_shows"].as_str() {
                assert!(text.contains(shown), "{id}: {text}");
            }
            if expect["message_single_line"] == true {
                assert_eq!(text.lines().count(), outcome.problems().len() + 2, "{id}: {text}");
            }
            if expect["no_raw_marker_in_message"] == true {
                assert!(!text.contains("</external_tool_result>"), "{id}: {text}");
            }
            assert!(outcome.problems().is_empty() || text.chars().count() <= 2000, "{id}");
            assert!(!text.contains(&"k".repeat(81)), "{id}: {text}");
        }
    }
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Trip {
    nights: u32,
    #[serde(alias = "town")]
    city: String,
}

struct Travels;

impl Tool for Travels {
    type Args = Trip;
    type Output = Trip;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new("t", "Gives back its arguments.")
    }

    async fn run(&self, args: Trip, _: &CallContext) -> Result<ToolResult<Trip>, ToolError> {
        Ok(args.into())
    }
}

/// The first value that does not fit hides nothing that stands behind it.
#[test]
fn what_a_struct_takes_is_known_before_it_is_decoded() {
    let build = |coercion| Registry::builder().coercion(coercion).tool(Travels).without_store().build().unwrap();
    let (lossless, strict) = (build(Coercion::Lossless), build(Coercion::Strict));
    let call = |registry: &Registry, text: &str| registry.call_blocking(ToolCall::new("1", "t", text));

    let repaired = call(&lossless, r#"{"nights":"3","zip":1,"town":"Rome"}"#);
    assert_eq!(repaired.output().json().as_ref(), &json!({ "nights": 3, "city": "Rome" }));
    assert_eq!(repaired.receipt().notes, ["/zip: unknown field ignored", "/nights: string -> integer"]);
    assert!(repaired.model_text().contains("`zip` is no parameter of this tool and was ignored."));

    let refused = call(&strict, r#"{"nights":"3","zip":1,"city":"Rome"}"#);
    assert_eq!(
        told(refused.problems()),
        [
            ["/zip", "no such field; known fields: nights, city", "unknown field"],
            ["/nights", "integer", "string \"3\""]
        ]
    );
    let aliased = call(&lossless, r#"{"nights":"many","town":"Rome"}"#);
    assert_eq!(told(aliased.problems()), [["/nights", "integer", "string \"many\""]]);
    let without = call(&lossless, r#"{"nights":"many"}"#);
    assert_eq!(without.problems().len(), 2);
    let twice = call(&lossless, r#"{"nights":3,"city":"Rome","town":"Oslo"}"#);
    assert_eq!(twice.status(), Status::InvalidArguments, "{}", twice.model_text());

    let denies = Registry::builder().tool(Denies).without_store().build().unwrap();
    assert_eq!(call(&denies, r#"{"A":1}"#).status(), Status::Ok);
    let both = call(&denies, r#"{"b":2,"a":"x","c":{}}"#);
    assert_eq!(both.problems().iter().map(|problem| &*problem.path).collect::<Vec<_>>(), ["/b", "/c", "/a"]);
}

/// Shows 100 MB.
#[tool(to_model_output = |_| "v".repeat(100_000_000), max_result_size = 2000)]
fn grows() -> u8 {
    0
}

#[test]
fn args_hook_grows() {
    let registry = Registry::builder().tools(tools![grows]).without_store().build().unwrap();
    let outcome = registry.call_blocking(ToolCall::new("1", "grows", "{}"));
    assert_eq!(outcome.receipt().shown_chars, 2000);
    assert!(outcome.model_text().starts_with("[Truncated: 100000000 chars -> 2000 chars of a summary"));
    assert!(outcome.model_text().chars().count() < 2200);
}
