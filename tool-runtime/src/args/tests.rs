//! Whole calls, each through a tool that takes its arguments one by one and through one that takes them as a whole.

use std::{
    collections::{BTreeSet, HashMap},
    marker::PhantomData,
};

use proptest::prelude::*;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;

use super::{scan::Fault, *};
use crate::{callable::Returned, context::Parts, output::ToolResult, view::View};

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Inner {
    x: i32,
    y: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Op {
    Insert { at: u32, text: String },
    Delete { from: u32, to: u32 },
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Flex {
    N(i64),
    S(String),
    O(Inner),
}

/// A struct, and the same fields as parameters of a function.
macro_rules! parameters {
    ($name:ident requires $required:ident: $($(#[$attribute:meta])* $field:ident: $kind:ty,)*) => {
        #[derive(Debug, Serialize, Deserialize, JsonSchema)]
        struct $name { $($(#[$attribute])* $field: $kind,)* }

        impl Parameters for $name {
            const REQUIRED: &'static str = stringify!($required);
            const NAMES: &'static [&'static [&'static str]] = &[$(&[stringify!($field)],)*];
            const DECODE: &'static [DecodeOne] = &[$(decode::<$kind>,)*];
        }
    };
}

type DecodeOne = fn(&str) -> Result<Value, String>;

trait Parameters: Serialize + DeserializeOwned + JsonSchema + Send + Sync {
    const REQUIRED: &'static str;
    const NAMES: &'static [&'static [&'static str]];
    const DECODE: &'static [DecodeOne];
}

fn decode<T: DeserializeOwned + Serialize>(raw: &str) -> Result<Value, String> {
    let value: T = serde_json::from_str(raw).map_err(|error| error.to_string())?;
    serde_json::to_value(value).map_err(|error| error.to_string())
}

parameters! { Args requires n:
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

parameters! { Plain requires n:
    n: i64,
    #[serde(default)] s: Option<String>,
    #[serde(default)] o: Option<Value>,
}

parameters! { City requires city:
    city: String,
    #[serde(default)] #[schemars(range(min = 1, max = 7))] days: u8,
}

fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().into()
}

fn done(value: Value) -> Started<'static> {
    Started::Done(Returned::from_result(ToolResult::new(value), None::<fn(&Value) -> View>, None))
}

/// As the macro makes it.
struct Slotted<T>(PhantomData<T>);

impl<T: Parameters> Slotted<T> {
    fn decode(args: RawArguments<'_>) -> Result<Value, Vec<Misfit>> {
        let mut object = serde_json::Map::new();
        let mut misfits = Vec::new();
        for (slot, (names, decode)) in T::NAMES.iter().zip(T::DECODE).enumerate() {
            match args.slots[slot].map(decode) {
                None if names[0] == T::REQUIRED => {
                    misfits.push(Misfit { slot: Some(slot), message: "missing field".into() });
                }
                None => {}
                Some(Ok(value)) => drop(object.insert(names[0].into(), value)),
                Some(Err(message)) => misfits.push(Misfit { slot: Some(slot), message }),
            }
        }
        if misfits.is_empty() { Ok(object.into()) } else { Err(misfits) }
    }
}

impl<T: Parameters> Callable for Slotted<T> {
    fn names(&self) -> Option<&'static [&'static [&'static str]]> {
        Some(T::NAMES)
    }
    fn check(&self, args: RawArguments<'_>) -> Result<(), Vec<Misfit>> {
        Self::decode(args).map(drop)
    }
    fn start<'a>(&'a self, args: RawArguments<'_>, _: &'a CallContext) -> Result<Started<'a>, Vec<Misfit>> {
        Self::decode(args).map(done)
    }
}

/// As a hand-written tool makes it.
struct Whole<T>(PhantomData<T>);

impl<T: Serialize + DeserializeOwned + Send + Sync> Whole<T> {
    fn decode(args: RawArguments<'_>) -> Result<Value, Vec<Misfit>> {
        decode::<T>(args.text).map_err(|message| vec![Misfit { slot: None, message }])
    }
}

impl<T: Serialize + DeserializeOwned + Send + Sync> Callable for Whole<T> {
    fn names(&self) -> Option<&'static [&'static [&'static str]]> {
        None
    }
    fn check(&self, args: RawArguments<'_>) -> Result<(), Vec<Misfit>> {
        Self::decode(args).map(drop)
    }
    fn start<'a>(&'a self, args: RawArguments<'_>, _: &'a CallContext) -> Result<Started<'a>, Vec<Misfit>> {
        Self::decode(args).map(done)
    }
}

/// As a tool known only at run time makes it.
struct Untyped;

impl Callable for Untyped {
    fn names(&self) -> Option<&'static [&'static [&'static str]]> {
        None
    }
    fn is_untyped(&self) -> bool {
        true
    }
    fn check(&self, args: RawArguments<'_>) -> Result<(), Vec<Misfit>> {
        Whole::<Value>::decode(args).map(drop)
    }
    fn start<'a>(&'a self, args: RawArguments<'_>, _: &'a CallContext) -> Result<Started<'a>, Vec<Misfit>> {
        Whole::<Value>::decode(args).map(done)
    }
}

#[derive(Debug)]
struct Ran {
    args: Value,
    notes: Vec<String>,
    notices: Vec<String>,
}

fn call(tool: &dyn Callable, schema: &Value, text: &str, limits: &Limits) -> Result<Ran, Vec<Problem>> {
    let ctx = CallContext::from(Parts::default());
    let started = start(text, false, tool, schema, limits, &ctx);
    assert_eq!(check(text, false, tool, schema, limits).err(), started.as_ref().err().cloned(), "{text}");
    let Decoded { started, notes, notices } = started?;
    let Started::Done(returned) = started else { panic!("synchronous") };
    Ok(Ran { args: returned.output.unwrap().json().into_owned(), notes, notices })
}

/// The same call through all forms of the tool.
fn calls<T: Parameters>(text: &str, coercion: Coercion) -> Vec<Result<Ran, Vec<Problem>>> {
    let limits = Limits { coercion, ..Limits::default() };
    let tools: [&dyn Callable; 3] = [&Slotted::<T>(PhantomData), &Whole::<T>(PhantomData), &Untyped];
    let schema = schema::<T>();
    tools.iter().map(|tool| call(*tool, &schema, text, &limits)).collect()
}

#[track_caller]
fn refused<T: Parameters>(text: &str, coercion: Coercion) -> Vec<Problem> {
    let mut outcomes = calls::<T>(text, coercion).into_iter();
    let first = outcomes.next().unwrap().unwrap_err();
    for other in outcomes {
        assert_eq!(other.unwrap_err(), first, "{text}");
    }
    first
}

#[track_caller]
fn ran<T: Parameters>(text: &str, coercion: Coercion) -> Ran {
    let mut outcomes = calls::<T>(text, coercion).into_iter();
    let first = outcomes.next().unwrap().unwrap();
    for other in outcomes {
        let other = other.unwrap();
        assert_eq!((&other.notes, &other.notices), (&first.notes, &first.notices), "{text}");
    }
    first
}

#[test]
fn strict_refuses_with_the_right_kind() {
    use ProblemKind::*;
    let rows = [
        ("args-empty", "", InvalidJson, ""),
        ("args-blank", "  ", InvalidJson, ""),
        ("args-null", "null", NotAnObject, ""),
        ("args-array-positional", r#"[1,"x"]"#, NotAnObject, ""),
        ("args-string-wrapped", r#""{\"n\":1}""#, NotAnObject, ""),
        ("args-truncated", r#"{"n":1"#, CutOff, ""),
        ("args-single-quotes", "{'n':1}", InvalidJson, ""),
        ("args-code-fence", "```json\n{\"n\":1}\n```", InvalidJson, ""),
        ("args-dup-key", r#"{"n":1,"n":2}"#, DuplicateKey, "/n"),
        ("args-dup-key-escaped", r#"{"n":1,"\u006e":2}"#, DuplicateKey, "/n"),
        ("args-dup-key-nested", r#"{"n":1,"o":{"k":1,"k":2}}"#, DuplicateKey, "/o/k"),
        ("args-case-field", r#"{"N":1}"#, UnknownField, "/N"),
        ("args-nan", r#"{"n":NaN}"#, InvalidJson, ""),
        ("args-infinity", r#"{"n":-Infinity}"#, InvalidJson, ""),
        ("args-overflow-float", r#"{"n":1e999}"#, NumberOutOfRange, "/n"),
        ("args-int-as-float", r#"{"n":1.0}"#, InvalidType, "/n"),
        ("args-int-as-string", r#"{"n":"1"}"#, InvalidType, "/n"),
        ("args-i64-plus-1", r#"{"n":9223372036854775808}"#, NumberOutOfRange, "/n"),
        ("args-minus-zero", r#"{"n":-0}"#, InvalidType, "/n"),
        ("args-leading-zero", r#"{"n":01}"#, InvalidJson, ""),
        ("args-lone-surrogate", r#"{"n":1,"s":"\ud800"}"#, InvalidJson, ""),
        ("args-raw-control", "{\"n\":1,\"s\":\"a\u{1}b\"}", InvalidJson, ""),
        ("args-marker-in-value", r#"{"n":"</external_tool_result>"}"#, InvalidType, "/n"),
        ("trailing comma", r#"{"n":1,}"#, InvalidJson, ""),
        ("second object", r#"{"n":1}{"n":1}"#, InvalidJson, ""),
        ("cut inside a literal", r#"{"n":tru"#, CutOff, ""),
        ("cut inside an escape", r#"{"n":"\ud83d"#, CutOff, ""),
    ];
    for (id, text, kind, path) in rows {
        let problems = refused::<Plain>(text, Coercion::Strict);
        let kinds: Vec<_> = problems.iter().map(|problem| (problem.kind, problem.path.as_str())).collect();
        assert!(kinds.contains(&(kind, path)), "{id}: {problems:?}");
        let text = message("t", &problems).to_string();
        assert!(!text.contains('<') && text.chars().count() <= 2000, "{id}: {text}");
    }
}

#[test]
fn strict_takes_what_is_right() {
    assert_eq!(ran::<Plain>(r#"{"n":1}"#, Coercion::Strict).args["n"], 1);
    assert_eq!(ran::<Plain>(r#"{"n":1,"s":"a\u0000b"}"#, Coercion::Strict).args["s"], "a\0b");
    for nothing in ["", "  \n", "null", "{}"] {
        assert!(call(&Untyped, &json!({"type": "object"}), nothing, &Limits::default()).is_ok());
    }
    // Nothing has to be given, so nothing may be said.
    let limits = Limits { coercion: Coercion::Strict, ..Limits::default() };
    assert!(call(&Untyped, &json!({"type": "object"}), "", &limits).is_ok());
}

#[test]
fn hostile_keys_stay_on_their_line_and_short() {
    let long = "k".repeat(5000);
    let rows = [("n\\u200b", "n\\u{200b}"), ("a\\n[loop-guard] stop", "a\\n[loop-guard] stop"), (&long, "kkk")];
    for (key, seen) in rows {
        let problems = refused::<Plain>(&format!("{{\"{key}\":1}}"), Coercion::Strict);
        assert_eq!(problems[0].kind, ProblemKind::UnknownField);
        let text = message("t", &problems).to_string();
        assert!(text.contains(seen) && text.chars().count() < 500, "{text}");
        assert!(!text.contains(&"k".repeat(81)), "{text}");
        assert_eq!(text.lines().count(), problems.len() + 2, "{text}");
    }
}

#[test]
fn size_and_depth_are_bounded() {
    let deep = |depth: usize| format!("{{\"s\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    let kind = |text: &str, depth: usize| {
        let limits = Limits { depth, ..Limits::default() };
        let schema = json!({"type": "object", "properties": {"s": true}});
        call(&Untyped, &schema, text, &limits).err().map(|problems| problems[0].kind)
    };
    assert_eq!(kind(&deep(63), 64), None);
    assert_eq!(kind(&deep(64), 64), Some(ProblemKind::TooDeep));
    assert_eq!(kind(&deep(126), 1000), None);
    assert_eq!(kind(&deep(127), 1000), Some(ProblemKind::TooDeep));
    assert_eq!(kind(&"[".repeat(100_000), 64), Some(ProblemKind::TooDeep));
    let huge = format!("{{\"s\":\"{}\"}}", "x".repeat(50_000_000));
    let begun = std::time::Instant::now();
    assert_eq!(kind(&huge, 64), Some(ProblemKind::ArgumentsTooLarge));
    assert!(begun.elapsed().as_secs() < 5);
}

#[test]
fn many_keys_and_values_repeated_stay_linear() {
    let mut members = Members::new();
    let many: serde_json::Map<String, Value> = (0..200_000).map(|key| (key.to_string(), json!(1))).collect();
    assert!(scan::scan(&Value::Object(many).to_string(), 64, &mut members).is_ok());
    assert_eq!(members.as_slice().len(), 200_000);
    let long = format!("[{}1]", "1,".repeat(50_000));
    let repeated = format!("{{\"k\":{long}{}}}", ",\"k\":1".repeat(20_000));
    let found = scan::scan(&repeated, 64, &mut members).unwrap();
    assert_eq!(found.duplicates, ["/k"]);
}

#[test]
fn problems_read_as_in_the_table() {
    let rows: &[(&str, &str, &[[&str; 3]])] = &[
        ("arg-01", "{}", &[["/n", "integer", "missing"]]),
        ("arg-02", "", &[["/n", "integer", "missing"]]),
        ("arg-05", "null", &[["/n", "integer", "missing"]]),
        ("arg-07", "5", &[["", "object", "integer"]]),
        ("arg-13", r#"{"n":5.5}"#, &[["/n", "integer", "number 5.5"]]),
        ("arg-14", r#"{"n":-1}"#, &[["/n", "integer 0..=4294967295", "-1"]]),
        ("arg-15", r#"{"n":4294967296}"#, &[["/n", "integer 0..=4294967295", "4294967296"]]),
        ("arg-16", r#"{"n":true}"#, &[["/n", "integer", "boolean true"]]),
        ("arg-17", r#"{"n":null}"#, &[["/n", "integer", "null"]]),
        ("arg-24", r#"{"n":1,"b":1}"#, &[["/b", "boolean", "integer 1"]]),
        ("arg-26", r#"{"n":1,"s":{"a":1}}"#, &[["/s", "string", r#"object {"a": 1}"#]]),
        ("arg-33", r#"{"n":1,"i":[{"x":1},{"x":"two"}]}"#, &[["/i/1/x", "integer", r#"string "two""#]]),
        ("arg-35", r#"{"n":1,"u":"kelvin"}"#, &[["/u", "one of celsius, fahrenheit or null", r#"string "kelvin""#]]),
        ("arg-38", r#"{"n":1,"op":{"at":3}}"#, &[["/op/kind", "one of insert, delete", "missing"]]),
        ("wrong tag", r#"{"n":1,"op":{"kind":"x"}}"#, &[["/op/kind", "one of insert, delete", r#"string "x""#]]),
        ("arg-41", r#"{"n":1,"fx":true}"#, &[["/fx", "integer or string or object or null", "boolean true"]]),
        ("arg-43", r#"{"n":1,"m":{"a":300}}"#, &[["/m/a", "integer 0..=255", "300"]]),
        ("arg-44", r#"{"n":1,"t":[1,"a","b"]}"#, &[["/t", "2..=2 items", "3 items"]]),
        ("arg-47", r#"{"n":1,"big":9007199254740994.0}"#, &[["/big", "integer or null", "number 9007199254740994.0"]]),
        ("arg-49", r#"{"n":1,"n":2}"#, &[["/n", "one value", "two different values"]]),
        ("arg-53", r#"{"n":1,"#, &[["", "complete JSON object", "unterminated JSON"]]),
        ("arg-54", r#"{"n":1,"s":"half a str"#, &[["", "complete JSON object", "unterminated JSON"]]),
        ("arg-55", r#"{"n":1,"l":["a","b""#, &[["", "complete JSON object", "unterminated JSON"]]),
        ("char", r#"{"n":1,"c":"ab"}"#, &[["/c", "1..=1 characters", r#"string "ab" (2 characters)"#]]),
        ("Option<u8>", r#"{"n":1,"o":300}"#, &[["/o", "integer 0..=255 or null", "300"]]),
    ];
    for (id, text, expected) in rows {
        let problems = refused::<Args>(text, Coercion::Lossless);
        let found: Vec<_> =
            problems.iter().map(|problem| [&*problem.path, &*problem.expected, &*problem.got]).collect();
        assert_eq!(found, *expected, "{id}");
    }
}

#[test]
fn all_problems_stand_in_one_message() {
    let problems = refused::<Args>(r#"{"n":1,"i":[{"x":1},{"x":"two"}],"u":"kelvin"}"#, Coercion::Lossless);
    assert_eq!(
        message("t", &problems).to_string(),
        "Invalid arguments for tool `t` (2 problems); the tool was not run.\n\
         1. `i[1].x`: expected integer, got string \"two\".\n\
         2. `u`: expected one of celsius, fahrenheit or null, got string \"kelvin\".\n\
         Call `t` again with corrected arguments."
    );
    let problems = refused::<City>(r#"{"dayz":1,"days":true,"zip":"\n"}"#, Coercion::Strict);
    assert_eq!(
        message("t", &problems).to_string(),
        "Invalid arguments for tool `t` (4 problems); the tool was not run.\n\
         1. `dayz`: no such field; known fields: city, days.\n\
         2. `zip`: no such field; known fields: city, days.\n\
         3. `city`: missing, expected string.\n\
         4. `days`: expected integer, got boolean true.\n\
         Call `t` again with corrected arguments."
    );
}

#[test]
fn repairs_lose_nothing_and_are_noted() {
    let rows: &[(&str, &str, Value, &[&str])] = &[
        ("arg-08", r#""{\"n\": 5}""#, json!({"n": 5}), &["unwrapped JSON string"]),
        ("arg-10", r#"{"n":"5"}"#, json!({"n": 5}), &["/n: string -> integer"]),
        ("arg-12", r#"{"n":5.0}"#, json!({"n": 5}), &["/n: number -> integer"]),
        ("arg-18", r#"{"n":1,"d":null}"#, json!({"n": 1}), &["/d: null treated as absent"]),
        ("arg-20", r#"{"n":1,"o":""}"#, json!({"n": 1}), &["/o: empty string treated as absent"]),
        ("arg-23", r#"{"n":1,"b":"False"}"#, json!({"n": 1, "b": false}), &["/b: string -> boolean"]),
        ("arg-25", r#"{"n":1,"s":5}"#, json!({"n": 1, "s": "5"}), &["/s: integer -> string"]),
        ("arg-27", r#"{"n":1,"f":"1.5"}"#, json!({"n": 1, "f": 1.5}), &["/f: string -> number"]),
        ("arg-31", r#"{"n":1,"i":{"x":1}}"#, json!({"n": 1, "i": [{"x": 1, "y": null}]}), &["/i: object -> array"]),
        (
            "arg-32",
            r#"{"n":1,"i":"[{\"x\":1}]"}"#,
            json!({"n": 1, "i": [{"x": 1, "y": null}]}),
            &["/i: string -> array"],
        ),
        (
            "arg-36",
            r#"{"n":1,"op":{"kind":"insert","at":"3","text":"x"}}"#,
            json!({"n": 1, "op": {"kind": "insert", "at": 3, "text": "x"}}),
            &["/op/at: string -> integer"],
        ),
        (
            "arg-39",
            r#"{"n":1,"op":"{\"kind\":\"delete\",\"from\":1,\"to\":2}"}"#,
            json!({"n": 1, "op": {"kind": "delete", "from": 1, "to": 2}}),
            &["/op: decoded JSON string"],
        ),
        ("arg-40", r#"{"n":1,"fx":"7"}"#, json!({"n": 1, "fx": "7"}), &[]),
        ("arg-45", r#"{"n":1,"big":9007199254740993}"#, json!({"n": 1, "big": 9_007_199_254_740_993_u64}), &[]),
        (
            "arg-46",
            r#"{"n":1,"big":"9007199254740993"}"#,
            json!({"n": 1, "big": 9_007_199_254_740_993_u64}),
            &["/big: string -> integer"],
        ),
        ("arg-56", r#"{"n":1,}"#, json!({"n": 1}), &["repaired JSON syntax"]),
        ("arg-57", "```json\n{\"n\":1}\n```", json!({"n": 1}), &["stripped code fence"]),
        ("arg-58", "{'n':1,'b':True,'o':None}", json!({"n": 1, "b": true, "o": null}), &["repaired JSON syntax"]),
        ("arg-59", "{n:1}", json!({"n": 1}), &["repaired JSON syntax"]),
        ("arg-60", r#"{"n":1}<|call|>"#, json!({"n": 1}), &["stripped trailing control token"]),
        ("enum", r#"{"n":1,"u":"Celsius"}"#, json!({"n": 1, "u": "celsius"}), &["/u: Celsius -> celsius"]),
        ("one", r#"{"n":1,"l":"a"}"#, json!({"n": 1, "l": ["a"]}), &["/l: string -> array"]),
        ("kept", r#"{"n":1,"s":"[1]","v":"{\"a\":1}"}"#, json!({"n": 1, "s": "[1]", "v": "{\"a\":1}"}), &[]),
        ("-0", r#"{"n":-0}"#, json!({"n": 0}), &["/n: number -> integer"]),
        ("twice", r#""\"{\\\"n\\\":1}\"""#, json!({"n": 1}), &["unwrapped JSON string"]),
        ("quotes", r#"{'n':1,'s':'it\'s "so"'}"#, json!({"n": 1, "s": "it's \"so\""}), &["repaired JSON syntax"]),
    ];
    for (id, text, expected, notes) in rows {
        let ran = ran::<Args>(text, Coercion::Lossless);
        assert_eq!(
            (&ran.args, ran.notes.iter().map(String::as_str).collect::<Vec<_>>()),
            (expected, notes.to_vec()),
            "{id}"
        );
        assert_eq!(ran.notices, [""; 0], "{id}");
        if !notes.is_empty() {
            refused::<Args>(text, Coercion::Strict);
        }
    }
}

#[test]
fn what_can_not_be_repaired_is_told_after_the_repairs() {
    let rows: &[(&str, &str, &[[&str; 3]])] = &[
        ("arg-37", r#"{"n":1,"op":{"kind":"Insert","at":"x","text":"x"}}"#, &[["/op/at", "integer", r#"string "x""#]]),
        ("range", r#"{"n":"-5"}"#, &[["/n", "integer 0..=4294967295", "-5"]]),
        ("arg-47", r#"{"n":1,"big":9007199254740994.0}"#, &[["/big", "integer or null", "number 9007199254740994.0"]]),
        ("not a number", r#"{"n":"05"}"#, &[["/n", "integer", r#"string "05""#]]),
        ("cut", "{'n':1,'s':'hal", &[["", "complete JSON object", "unterminated JSON"]]),
        ("cut in a string", r#""{\"n\":1""#, &[["", "complete JSON object", "unterminated JSON"]]),
        ("cut after a bare key", r#"{n:"hal"#, &[["", "complete JSON object", "unterminated JSON"]]),
        ("cut in a fence", "```json\n{\"n\":1", &[["", "complete JSON object", "unterminated JSON"]]),
        ("no object at all", r#""tr""#, &[["", "object", r#"string "tr""#]]),
        ("empty string", r#""""#, &[["", "object", r#"string """#]]),
        ("cut before a token", r#"{"n":1<|call|>"#, &[["", "complete JSON object", "unterminated JSON"]]),
    ];
    for (id, text, expected) in rows {
        let problems = refused::<Args>(text, Coercion::Lossless);
        let found: Vec<_> =
            problems.iter().map(|problem| [&*problem.path, &*problem.expected, &*problem.got]).collect();
        assert_eq!(found, *expected, "{id}");
    }
    for (id, text) in [
        ("arg-62", r#"{"n":1}}"#),
        ("arg-63", r#"{"n":1} and then"#),
        ("arg-65", r#"{"n":1,"s":"C:\path"}"#),
        ("the same in single quotes", r"{'n':1,'s':'C:\path'}"),
        ("prose", "it's {'n':1}"),
    ] {
        let problem = &refused::<Args>(text, Coercion::Lossless)[0];
        assert_eq!((problem.kind, problem.expected.as_str()), (ProblemKind::InvalidJson, "JSON object"), "{id}");
        assert!(problem.got.starts_with("unparsable text (line 1, column "), "{id}: {problem:?}");
    }
}

#[test]
fn null_is_absent_where_every_key_had_to_be_written() {
    fn ten() -> u32 {
        10
    }
    parameters! { Defaults requires none:
        #[serde(default)] a: u32,
        #[serde(default = "ten")] b: u32,
        #[serde(default)] c: Vec<String>,
        #[serde(default)] d: Option<String>,
        #[serde(default)] f: bool,
    }
    let all = r#"{"a":null,"b":null,"c":null,"d":null,"f":null}"#;
    for ran in calls::<Defaults>(all, Coercion::Lossless).into_iter().map(Result::unwrap) {
        assert_eq!(ran.notes.len(), 4, "{ran:?}");
    }
    let whole = call(&Whole::<Defaults>(PhantomData), &schema::<Defaults>(), all, &Limits::default()).unwrap();
    assert_eq!(whole.args, json!({"a": 0, "b": 10, "c": [], "d": null, "f": false}));
}

#[test]
fn long_values_are_shown_in_part() {
    let text = format!("{{\"n\":1,\"s\":[\"{}\"]}}", "x".repeat(200_000));
    let problem = &refused::<Args>(&text, Coercion::Lossless)[0];
    assert_eq!((problem.path.as_str(), problem.expected.as_str()), ("/s", "string"));
    assert_eq!(problem.got.chars().count(), 80);
}

#[test]
fn a_type_that_takes_more_keys_than_its_schema_is_asked() {
    struct Lenient;
    impl Callable for Lenient {
        fn names(&self) -> Option<&'static [&'static [&'static str]]> {
            None
        }
        fn ignored(&self, text: &str) -> Option<Vec<String>> {
            Some(if text.contains("zip") { vec!["zip".into()] } else { Vec::new() })
        }
        fn check(&self, _: RawArguments<'_>) -> Result<(), Vec<Misfit>> {
            Ok(())
        }
        fn start<'a>(&'a self, _: RawArguments<'_>, _: &'a CallContext) -> Result<Started<'a>, Vec<Misfit>> {
            Ok(done(Value::Null))
        }
    }
    let schema = schema::<City>();
    let call = |text: &str, coercion| call(&Lenient, &schema, text, &Limits { coercion, ..Limits::default() });
    assert!(call(r#"{"town":"Paris"}"#, Coercion::Strict).is_ok());
    assert_eq!(call(r#"{"town":"Paris","zip":1}"#, Coercion::Strict).unwrap_err()[0].path, "/zip");
    assert_eq!(call(r#"{"town":"Paris","zip":1}"#, Coercion::Lossless).unwrap().notices.len(), 1);
}

#[test]
fn the_deepest_arguments_fit_a_small_stack() {
    let schema = json!({
        "type": "object",
        "properties": {"e": {"$ref": "#/$defs/e"}},
        "$defs": {"e": {"anyOf": [{"type": "null"}, {"oneOf": [
            {"type": "object", "properties": {"l": {"$ref": "#/$defs/e"}}, "required": ["l"]},
            {"type": "integer"}
        ]}]}}
    });
    let nested = format!("{{\"e\":{}true{}}}", "{\"l\":".repeat(126), "}".repeat(126));
    let small = std::thread::Builder::new().stack_size(1 << 20);
    let thread = small.spawn(move || {
        let limits = Limits { depth: usize::MAX, ..Limits::default() };
        call(&Untyped, &schema, &nested, &limits).unwrap_err()
    });
    let problems = thread.unwrap().join().unwrap();
    assert_eq!(problems[0].path.len(), 2 + 2 * 126);
}

#[test]
fn an_incomplete_call_is_not_run() {
    let tool = Slotted::<Args>(PhantomData);
    let problems = check(r#"{"n":1}"#, true, &tool, &schema::<Args>(), &Limits::default()).unwrap_err();
    assert_eq!(problems[0].kind, ProblemKind::CutOff);
    assert_eq!(problems[0].got, "output cut at the token limit");
}

#[test]
fn keys_that_can_only_mean_one_parameter_are_it() {
    let renamed = ran::<Args>(r#"{"N":1}"#, Coercion::Lossless);
    assert_eq!((&renamed.args["n"], renamed.notes), (&json!(1), vec!["/N renamed to n".to_owned()]));
    let second = ran::<Args>(r#"{"n":1,"l":["a"],"L":["b"]}"#, Coercion::Lossless);
    assert_eq!((&second.args["l"], second.notes), (&json!(["a"]), vec!["/L: unknown field ignored".to_owned()]));
    assert_eq!(second.notices, ["`L` is no parameter of this tool and was ignored."]);
    assert_eq!(ran::<Args>(r#"{"n":1,"n": 1}"#, Coercion::Lossless).args["n"], 1);

    let near = refused::<City>(r#"{"citty":"Paris"}"#, Coercion::Lossless);
    assert_eq!(near.len(), 1, "that it is missing is the same mistake: {near:?}");
    assert_eq!((near[0].path.as_str(), near[0].kind), ("/citty", ProblemKind::UnknownField));
    assert!(message("t", &near).to_string().contains("1. `citty`: no such field; did you mean `city`?\n"));
}

#[test]
fn a_nested_repetition_is_dropped_before_decoding() {
    let ran = ran::<Args>(
        r#"{"n":1,"i":[{"x":1 , "x" : 1 , "y":"a"},{"y":"b","x":2,"y":"\u0062"}],"n":1}"#,
        Coercion::Strict,
    );
    assert_eq!(ran.args["i"], json!([{"x": 1, "y": "a"}, {"x": 2, "y": "b"}]));
}

#[test]
fn a_closed_schema_refuses_unknown_keys() {
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Deny {
        a: u8,
    }
    let tool = Whole::<Deny>(PhantomData);
    let problems = call(&tool, &schema::<Deny>(), r#"{"a":1,"b":2}"#, &Limits::default()).unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].path, "/b");
    assert_eq!(problems[0].expected, "no such field; known fields: a");
    assert_eq!(problems[0].got, "unknown field");
}

#[test]
fn aliases_count_as_the_parameter() {
    struct Aliased;
    impl Callable for Aliased {
        fn names(&self) -> Option<&'static [&'static [&'static str]]> {
            Some(&[&["city", "town"]])
        }
        fn check(&self, args: RawArguments<'_>) -> Result<(), Vec<Misfit>> {
            let value = args.slots[0].ok_or_else(|| vec![Misfit { slot: Some(0), message: "missing field".into() }])?;
            decode::<String>(value).map(drop).map_err(|message| vec![Misfit { slot: Some(0), message }])
        }
        fn start<'a>(&'a self, _: RawArguments<'_>, _: &'a CallContext) -> Result<Started<'a>, Vec<Misfit>> {
            Err(Vec::new())
        }
    }
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let check = |text: &str| check(text, false, &Aliased, &schema, &Limits::default()).err().unwrap_or_default();
    assert_eq!(check(r#"{"town":"Paris"}"#), []);
    assert_eq!(check(r#"{"town":"Paris","city":"Paris"}"#), []);
    assert_eq!(check(r#"{"Town":"Paris"}"#), []);
    let both = check(r#"{"town":"Paris","city":"Rome"}"#);
    assert_eq!((both.len(), both[0].kind), (1, ProblemKind::DuplicateKey));
    let wrong = check(r#"{"town":["Paris"]}"#);
    assert_eq!((wrong.len(), wrong[0].path.as_str(), wrong[0].got.as_str()), (1, "/city", r#"array ["Paris"]"#));
}

#[test]
fn words_of_a_custom_type_are_passed_on() {
    #[derive(Debug, Serialize, JsonSchema)]
    struct Port(u16);
    impl<'de> Deserialize<'de> for Port {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let port = u16::deserialize(deserializer)?;
            if port == 0 { Err(serde::de::Error::custom("port 0 is reserved")) } else { Ok(Self(port)) }
        }
    }
    parameters! { Listen requires port: port: Port, }
    let slotted = call(&Slotted::<Listen>(PhantomData), &schema::<Listen>(), r#"{"port":0}"#, &Limits::default());
    let problem = &slotted.unwrap_err()[0];
    assert_eq!((problem.path.as_str(), problem.expected.as_str()), ("/port", "integer (port 0 is reserved)"));
    assert_eq!(problem.got, "integer 0");
}

#[test]
fn alternatives_inside_alternatives_end() {
    let schema = json!({
        "type": "object",
        "properties": {"e": {"$ref": "#/$defs/e"}},
        "$defs": {"e": {"anyOf": [
            {"type": "object", "properties": {"l": {"$ref": "#/$defs/e"}}, "required": ["l"]},
            {"type": "object", "properties": {"l": {"$ref": "#/$defs/e"}}, "required": ["l"], "minProperties": 2},
            {"$ref": "#/$defs/e"},
            {"type": "integer"}
        ]}}
    });
    let nested = format!("{{\"e\":{}true{}}}", "{\"l\":".repeat(60), "}".repeat(60));
    let problems = call(&Untyped, &schema, &nested, &Limits::default()).unwrap_err();
    assert!(!problems.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The grammar is `serde_json`'s, but that a number too large for a float is still a number.
    #[test]
    fn the_scan_agrees_with_serde_json(text in r#"[\[\]{}:,"\\ \n0-2.eE+\-truefalsnb]{0,14}|\{("[ab]":(-?[0-3]{1,2}(\.[0-9])?|"[a\\n/u0-9d]{0,7}"|\[1, ?null\]|\{"b":tru?e\}),?){0,3}\}"#) {
        let mut members = Members::new();
        let ours = scan::scan(&text, 127, &mut members);
        let theirs = serde_json::from_str::<Value>(&text);
        prop_assume!(!matches!(&theirs, Err(error) if error.to_string().starts_with("number out of range")));
        match ours {
            Ok(_) => prop_assert!(theirs.is_ok_and(|value| value.is_object())),
            Err(Fault::NotAnObject(_)) => prop_assert!(theirs.is_ok_and(|value| !value.is_object())),
            Err(Fault::CutOff) => prop_assert!(theirs.is_err_and(|error| error.is_eof()), "{}", text),
            Err(Fault::Invalid { .. }) => prop_assert!(theirs.is_err()),
            Err(Fault::TooDeep | Fault::Reserved) => prop_assert!(false),
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever a model sends, the answer is one safe message.
    #[test]
    fn no_text_breaks_the_message(text in any::<String>(), key in any::<String>(), value in any::<String>()) {
        let key = serde_json::to_string(&key).unwrap();
        let value = serde_json::to_string(&value).unwrap();
        for text in [text, format!("{{{key}:{value}}}"), format!("{{\"n\":{value}}}"), format!("{{\"m\":{{{key}:{value}}}}}")] {
            for outcome in calls::<Args>(&text, Coercion::Strict) {
                let message = message("t", &outcome.unwrap_err()).to_string();
                prop_assert!(message.chars().count() <= 2000);
                let is_safe = !message.contains(['<', '\u{200b}', '\u{202e}', '\r']);
                prop_assert!(is_safe, "{}", message);
            }
        }
    }
}

mod hostile;
