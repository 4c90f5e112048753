//! How the arguments of a call reach the parameters of a function.
#![allow(missing_docs, clippy::unwrap_used, clippy::needless_pass_by_value, clippy::unused_async)]

use std::{borrow::Cow, path::Path};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use tool_runtime::{Outcome, RegisteredTool, Registry, Status, ToolCall, tool, tools};

fn call(tools: [RegisteredTool; 1], arguments: &str) -> Outcome {
    let registry = Registry::builder().tools(tools).without_store().build().unwrap();
    let name = registry.tool_names().next().unwrap().to_owned();
    registry.call_blocking(ToolCall::new("call_1", name, arguments))
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct City {
    name: String,
}

#[tool]
fn lend(
    text: &str,
    numbers: &[i64],
    path: &Path,
    city: &City,
    cities: &[City],
    absent: Option<&str>,
    present: Option<&City>,
    cow: Cow<'_, str>,
) -> String {
    let cities: Vec<&str> = cities.iter().map(|city| city.name.as_str()).collect();
    let present = present.map(|city| city.name.as_str());
    format!("{text} {numbers:?} {} {} {cities:?} {absent:?} {present:?} {cow}", path.display(), city.name)
}

#[tool]
async fn lend_later(text: &str, city: Option<&City>) -> String {
    std::future::ready(()).await;
    format!("{text} {}", city.is_none())
}

#[test]
fn whatever_can_be_lent_is_lent() {
    let arguments = r#"{"text":"\u0041","numbers":[1,-2],"path":"/tmp","city":{"name":"Paris"},"cities":[{"name":"x"}],
        "present":{"name":"y"},"cow":"z"}"#;
    assert_eq!(call(tools![lend], arguments).model_text(), r#"A [1, -2] /tmp Paris ["x"] None Some("y") z"#);
    assert_eq!(call(tools![lend_later], r#"{"text":"a"}"#).model_text(), "a true");
    // Still an ordinary function.
    let city = City { name: "c".into() };
    assert_eq!(lend("a", &[], Path::new("p"), &city, &[], None, None, "w".into()), "a [] p c [] None None w");
}

#[tool]
fn named<'a>(#[serde(rename = "from", alias = "src", alias = "source")] origin: &'a str, mut r#type: String) -> usize {
    r#type.push_str(origin);
    r#type.len()
}

#[test]
fn names_and_aliases_are_found() {
    for key in ["from", "src", "source"] {
        let outcome = call(tools![named], &format!(r#"{{"{key}":"ab","type":"c"}}"#));
        assert_eq!(outcome.model_text(), "3", "{key}");
    }
    assert_eq!(call(tools![named], r#"{"origin":"ab","type":"c"}"#).status(), Status::InvalidArguments);
}

fn three() -> u8 {
    3
}

#[tool]
fn defaulted(#[serde(default = "three")] path: u8, #[serde(default)] list: Vec<u8>, optional: Option<u8>) -> String {
    format!("{path} {list:?} {optional:?}")
}

#[test]
fn absent_arguments_have_their_default() {
    assert_eq!(call(tools![defaulted], "{}").model_text(), "3 [] None");
    assert_eq!(call(tools![defaulted], "").model_text(), "3 [] None");
    assert_eq!(call(tools![defaulted], r#"{"optional":1,"list":[2],"path":0}"#).model_text(), "0 [2] Some(1)");
}

/// A time without a `Deserialize` of its own.
struct Minutes(u32);

mod minutes {
    use super::*;

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Minutes, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.strip_suffix("min")
            .and_then(|n| n.parse().ok())
            .map(Minutes)
            .ok_or_else(|| serde::de::Error::custom("min"))
    }
}

fn trimmed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    String::deserialize(deserializer).map(|text| text.trim().to_owned())
}

#[tool]
fn decoded(
    #[serde(with = "minutes")]
    #[schemars(with = "String", regex(pattern = "^[0-9]+min$"))]
    time: Minutes,
    #[serde(deserialize_with = "trimmed", default)] text: String,
) -> String {
    format!("{} {text:?}", time.0)
}

#[test]
fn functions_of_the_users_decode() {
    assert_eq!(call(tools![decoded], r#"{"time":"5min","text":" a "}"#).model_text(), r#"5 "a""#);
    assert_eq!(call(tools![decoded], r#"{"time":"5min"}"#).model_text(), r#"5 """#);
    assert_eq!(call(tools![decoded], r#"{"time":"5h"}"#).status(), Status::InvalidArguments);
}

#[tool]
fn strict(a: u8, b: bool, c: String) -> String {
    format!("{a} {b} {c}")
}

#[test]
fn every_problem_is_told_and_the_function_does_not_run() {
    let outcome = call(tools![strict], r#"{"a":300,"b":[]}"#);
    assert_eq!(outcome.status(), Status::InvalidArguments);
    assert_eq!(outcome.problems().len(), 3, "{:?}", outcome.problems());
}

#[test]
fn a_check_runs_nothing() {
    #[tool]
    fn explode(a: u8) -> u8 {
        assert!(a == 0, "not to be run");
        a
    }
    let registry = Registry::builder().tools(tools![explode]).without_store().build().unwrap();
    assert_eq!(registry.check(&ToolCall::new("1", "explode", r#"{"a":1}"#)), Ok(()));
    assert_eq!(registry.check(&ToolCall::new("1", "explode", r#"{"a":-1}"#)).unwrap_err().len(), 1);
}
