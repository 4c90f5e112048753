//! How the arguments of a call reach the parameters of a function.
#![allow(missing_docs, dead_code, clippy::unwrap_used, clippy::panic)]
#![allow(clippy::needless_pass_by_value, clippy::unused_async)]

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

/// One tool for each type, which says with `Debug` what it was given.
macro_rules! takes {
    ($($name:ident: $ty:ty = $json:literal => $shown:literal),* $(,)?) => {
        mod takes {
            use std::{
                collections::{BTreeSet, HashMap, HashSet},
                net::IpAddr,
                num::NonZeroU8,
                path::PathBuf,
                sync::{Mutex, atomic::AtomicU32},
                time::{Duration, SystemTime},
            };

            use super::*;

            $(#[tool]
            fn $name(value: $ty) -> String {
                format!("{value:?}")
            })*

            pub(super) fn all() -> Vec<(&'static str, RegisteredTool, &'static str, &'static str)> {
                let tools = tools![$($name),*].into_iter();
                let rows = [$((stringify!($ty), $json, $shown)),*];
                tools.zip(rows).map(|(tool, (ty, json, shown))| (ty, tool, json, shown)).collect()
            }
        }
    };
}

/// A type with one value inside.
#[derive(Debug, Deserialize, JsonSchema)]
struct Id(String);

#[derive(Debug, Deserialize, JsonSchema)]
struct Node {
    name: String,
    #[serde(default)]
    kids: Vec<Node>,
}

#[derive(Debug, Deserialize, JsonSchema)]
enum Shape {
    Point,
    Circle(f64),
    Square { side: f64 },
}

#[derive(Debug, Deserialize, JsonSchema)]
enum Nothing {}

takes! {
    bytes: Vec<u8> = "[1,255]" => "[1, 255]",
    map: HashMap<String, i64> = r#"{"a":1}"# => r#"{"a": 1}"#,
    map_of_numbers: HashMap<u8, i64> = r#"{"7":1}"# => "{7: 1}",
    set: HashSet<String> = r#"["a"]"# => r#"{"a"}"#,
    sorted: BTreeSet<i8> = "[2,1]" => "{1, 2}",
    tuple: (i64, String) = r#"[1,"a"]"# => r#"(1, "a")"#,
    array: [i64; 3] = "[1,2,3]" => "[1, 2, 3]",
    boxed: Box<i64> = "1" => "1",
    boxed_text: Box<str> = r#""a""# => r#""a""#,
    option_twice: Option<Option<i64>> = "1" => "Some(Some(1))",
    large: u128 = "340282366920938463463374607431768211455" => "340282366920938463463374607431768211455",
    signed: i128 = "-170141183460469231731687303715884105728" => "-170141183460469231731687303715884105728",
    word: usize = "18446744073709551615" => "18446744073709551615",
    letter: char = "\"\u{e9}\"" => "'\u{e9}'",
    not_zero: NonZeroU8 = "1" => "1",
    duration: Duration = r#"{"secs":1,"nanos":500000000}"# => "1.5s",
    time: Option<SystemTime> = "null" => "None",
    path: PathBuf = r#""/tmp/a""# => r#""/tmp/a""#,
    address: IpAddr = r#""::1""# => "::1",
    newtype: Id = r#""a""# => r#"Id("a")"#,
    recursive: Node = r#"{"name":"a","kids":[{"name":"b"}]}"#
        => r#"Node { name: "a", kids: [Node { name: "b", kids: [] }] }"#,
    unit_variant: Shape = r#""Point""# => "Point",
    variant_of_value: Shape = r#"{"Circle":1.5}"# => "Circle(1.5)",
    variant_of_fields: Shape = r#"{"Square":{"side":2.0}}"# => "Square { side: 2.0 }",
    unit: () = "null" => "()",
    anything: serde_json::Value = r#"{"a":[1]}"# => r#"Object {"a": Array [Number(1)]}"#,
    locked: Mutex<i64> = "1" => "Mutex { data: 1, poisoned: false, .. }",
    atomic: AtomicU32 = "1" => "1",
    error_or_value: Result<i64, String> = r#"{"Err":"a"}"# => r#"Err("a")"#,
    optional_nothing: Option<Nothing> = "null" => "None",
}

#[test]
fn whatever_can_be_read_and_described_is_a_parameter() {
    for (ty, tool, json, shown) in takes::all() {
        let outcome = call([tool], &format!(r#"{{"value":{json}}}"#));
        assert_eq!(outcome.status(), Status::Ok, "{ty}: {}", outcome.model_text());
        assert_eq!(outcome.model_text(), shown, "{ty}");
    }
}

#[tool]
fn nobody(value: Nothing) -> String {
    match value {}
}

#[test]
fn what_no_value_fits_refuses_every_call() {
    for json in ["null", "{}", r#""a""#, "[]"] {
        let outcome = call(tools![nobody], &format!(r#"{{"value":{json}}}"#));
        assert_eq!(outcome.status(), Status::InvalidArguments, "{json}");
    }
}

#[tool()]
const fn constant(mut start: i64) -> i64 {
    start += 1;
    start
}

#[tool]
fn many(
    a: u8,
    b: u8,
    c: u8,
    d: u8,
    e: u8,
    f: u8,
    g: u8,
    h: u8,
    i: u8,
    j: u8,
    k: u8,
    l: u8,
    m: u8,
    n: u8,
    o: u8,
    p: u8,
    q: u8,
) -> Vec<u8> {
    vec![a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q]
}

#[test]
fn odd_forms_of_functions_are_tools() {
    assert_eq!(call(tools![constant], r#"{"start":1}"#).model_text(), "2");
    const TWO: i64 = constant(1);
    assert_eq!(TWO, 2);
}

#[test]
fn each_of_many_arguments_comes_to_its_own_parameter() {
    let names = 'a'..='q';
    let arguments = |value: &dyn Fn(usize, char) -> String| {
        let members = names.clone().enumerate().map(|(at, name)| format!(r#""{name}":{}"#, value(at, name)));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    };
    let outcome = call(tools![many], &arguments(&|at, _| at.to_string()));
    assert_eq!(outcome.model_text(), "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]");
    // The first of the second and third lists that the macro makes of them, and the last.
    let outcome = call(tools![many], &arguments(&|_, name| if "gmq".contains(name) { "300" } else { "0" }.to_owned()));
    let paths: Vec<&str> = outcome.problems().iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(paths, ["/g", "/m", "/q"]);
    let registry = Registry::builder().tools(tools![many]).build().unwrap();
    let definitions = registry.definitions(tool_runtime::Dialect::OpenAiChat);
    let required = &definitions[0]["function"]["parameters"]["required"];
    assert_eq!(*required, serde_json::json!(names.map(String::from).collect::<Vec<_>>()));
}

/// Decodes what is JSON, and panics where it is not: also where there is no value.
struct Impatient(i64);

impl<'de> Deserialize<'de> for Impatient {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(i64::deserialize(deserializer).unwrap_or_else(|_| panic!("a fault injected by a test"))))
    }
}

impl JsonSchema for Impatient {
    fn schema_name() -> Cow<'static, str> {
        "Impatient".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        i64::json_schema(generator)
    }
}

fn no_default() -> i64 {
    panic!("a fault injected by a test")
}

#[tool]
fn impatient(number: Impatient) -> i64 {
    number.0
}

#[tool]
fn without_default(#[serde(default = "no_default")] number: i64) -> i64 {
    number
}

#[test]
fn code_that_panics_without_a_value_keeps_no_program_from_starting() {
    assert_eq!(call(tools![impatient], r#"{"number":1}"#).model_text(), "1");
    assert_eq!(call(tools![without_default], r#"{"number":1}"#).model_text(), "1");
    let outcome = call(tools![without_default], "{}");
    assert_eq!(
        (outcome.status(), outcome.model_text()),
        (Status::Panicked, "[Tool panicked]\na fault injected by a test")
    );
    let required = |tools: [RegisteredTool; 1]| {
        let registry = Registry::builder().tools(tools).without_store().build().unwrap();
        registry.definitions(tool_runtime::Dialect::Mcp)[0]["inputSchema"]["required"].clone()
    };
    assert_eq!(required(tools![impatient]), serde_json::json!(["number"]));
    assert!(required(tools![without_default]).as_array().is_none_or(Vec::is_empty));
}
