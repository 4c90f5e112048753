//! Calls that somebody wrote to break the stage: each of these once did.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use super::*;
use crate::request::ToolCall;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Expr {
    Num(f64),
    List(Vec<Expr>),
}

parameters! { Calc requires e: e: Expr, }

/// On a thread with the stack of a runtime's worker.
fn on_small_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
}

fn recursive_schema<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().into()
}

#[test]
fn a_value_is_wrapped_in_a_list_once_at_most() {
    on_small_stack(|| {
        let limits = Limits::default();
        let schema = recursive_schema::<Calc>();
        for tool in [&Slotted::<Calc>(PhantomData) as &dyn Callable, &Whole::<Calc>(PhantomData), &Untyped] {
            let problems = call(tool, &schema, r#"{"e":true}"#, &limits).unwrap_err();
            assert_eq!((problems.len(), problems[0].path.as_str()), (1, "/e"), "{problems:?}");
        }
        let list = json!({
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/L"}},
            "$defs": {"L": {"type": "array", "items": {"$ref": "#/$defs/L"}}}
        });
        assert!(call(&Untyped, &list, r#"{"a":"true"}"#, &limits).is_err());
        assert!(call(&Untyped, &list, r#"{"a":"[[],\"[]\"]"}"#, &limits).is_ok());
        let pairs = json!({"type": "object", "properties": {"a": {
            "type": "array", "items": {"type": "array", "items": {"type": "string"}}
        }}});
        let ran = call(&Untyped, &pairs, r#"{"a":["x",["y"]]}"#, &limits).unwrap();
        assert_eq!(ran.args, json!({"a": [["x"], ["y"]]}));
        assert!(call(&Untyped, &pairs, r#"{"a":"x"}"#, &limits).is_err());
    });
}

/// `depth` lists, in JSON text inside JSON text as often as that fits into `size`.
fn encoded_again_and_again(depth: usize, size: usize) -> String {
    let mut text = "true".to_owned();
    loop {
        let lists = format!("{}{text}{}", "[".repeat(depth), "]".repeat(depth));
        let quoted = serde_json::to_string(&lists).unwrap();
        if quoted.len() > size {
            return text;
        }
        text = quoted;
    }
}

#[test]
fn no_repair_goes_deeper_than_a_small_stack() {
    on_small_stack(|| {
        let limits = Limits { depth: usize::MAX, ..Limits::default() };
        let schemas = [
            json!({"L": {"type": "array", "items": {"$ref": "#/$defs/L"}}}),
            json!({"L": {"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/$defs/L"}}]}}),
            json!({
                "L": {"allOf": [{"$ref": "#/$defs/M"}]},
                "M": {"allOf": [{"allOf": [{"$ref": "#/$defs/N"}]}]},
                "N": {"allOf": [{"allOf": [{"type": "array", "items": {"$ref": "#/$defs/L"}}]}]}
            }),
        ];
        let nested = |item: &str| format!("{}{item}{}", "[".repeat(125), "]".repeat(125));
        for defs in schemas {
            let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/L"}}, "$defs": defs});
            for value in [encoded_again_and_again(120, 200_000), nested("true"), nested(r#""[\"[]\"]""#)] {
                let _ = check(&format!("{{\"a\":{value}}}"), false, &Untyped, &schema, &limits);
            }
        }
    });
}

#[test]
fn the_work_of_walk_and_repair_has_an_end() {
    let e = json!({"anyOf": [
        {"type": "object", "properties": {"l": {"$ref": "#/$defs/e"}, "s": {"type": "string", "maxLength": 1}}},
        {"type": "object", "properties": {"l": {"$ref": "#/$defs/e"}, "s": {"enum": ["x"]}}, "minProperties": 3},
        {"type": "array", "items": {"$ref": "#/$defs/e"}, "uniqueItems": true},
        {"type": "integer"}
    ]});
    let schema = json!({"type": "object", "properties": {"e": {"$ref": "#/$defs/e"}}, "$defs": {"e": e}});
    let (text, items) = ("x".repeat(30_000), "1,".repeat(30_000));
    let bad = "{\"l\":true}";
    for inner in [bad.to_owned(), format!("{{\"s\":\"{text}\",\"l\":{bad}}}"), format!("[{items}{bad}]")] {
        let nested = format!("{{\"e\":{}{inner}{}}}", "{\"l\":".repeat(50), "}".repeat(50));
        let begun = Instant::now();
        assert!(check(&nested, false, &Untyped, &schema, &Limits::default()).is_err());
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}

#[test]
fn a_schema_without_an_end_is_described_all_the_same() {
    on_small_stack(|| {
        let mut defs = serde_json::Map::new();
        for step in 0..20_000 {
            defs.insert(format!("d{step}"), json!({"$ref": format!("#/$defs/d{}", step + 1)}));
        }
        defs.insert("round".into(), json!({"anyOf": vec![json!({"anyOf": [{"$ref": "#/$defs/round"}]}); 8]}));
        for start in ["d0", "round"] {
            let reference = json!({"$ref": format!("#/$defs/{start}")});
            for schema in [
                json!({"type": "object", "properties": {"a": reference}, "required": ["a", "b"], "$defs": defs}),
                json!({"anyOf": [reference], "required": ["a"], "$defs": defs}),
            ] {
                for text in [r#"{"a":"1","c":2}"#, r#"{"a":[true]}"#, "{}"] {
                    assert!(check(text, false, &Untyped, &schema, &Limits::default()).is_err());
                }
            }
        }
    });
}

#[test]
fn large_arguments_in_a_string_are_still_repaired() {
    let items = vec!["{\\\"x\\\":\\\"1\\\"}"; 40_000].join(",");
    let text = format!("{{\"n\":1,\"i\":\"[{items}]\"}}");
    assert_eq!(check(&text, false, &Slotted::<Args>(PhantomData), &schema::<Args>(), &Limits::default()), Ok(()));
}

#[test]
fn a_number_is_an_integer_to_its_last_digit_or_an_error() {
    for (number, whole) in [("5.0", 5), ("50e-1", 5), ("9007199254740992.0", 9_007_199_254_740_992_u64)] {
        let ran = ran::<Args>(&format!("{{\"n\":1,\"big\":{number}}}"), Coercion::Lossless);
        assert_eq!((&ran.args["big"], ran.notes.len()), (&json!(whole), 1), "{number}");
    }
    for number in [
        "9007199254740993.0",
        "9007199254740992.4",
        "4503599627370497.25",
        "1.00000000000000000000001",
        "1e-400",
        "9007199254740994.0",
    ] {
        let problems = refused::<Args>(&format!("{{\"n\":1,\"big\":{number}}}"), Coercion::Lossless);
        let found: Vec<_> =
            problems.iter().map(|problem| (&*problem.path, &*problem.expected, &*problem.got)).collect();
        assert_eq!(found, [("/big", "integer or null", format!("number {number}").as_str())]);
    }
}

#[test]
fn keys_that_serde_json_keeps_for_itself_are_refused_at_every_level() {
    for key in
        ["$serde_json::private::RawValue", "$serde_json::private::Number", "\\u0024serde_json::private::RawValue"]
    {
        for text in [
            format!(r#"{{"n":1,"o":{{"{key}":"{{\"a\":1,\"a\":2}}"}}}}"#),
            format!(r#"{{"n":1,"o":[[{{"x":{{"a":1,"{key}":"1"}}}}]]}}"#),
            format!(r#"{{"n":1,"{key}":"1"}}"#),
            format!("{{'n':1,'o':{{'{key}':'1'}}}}"),
        ] {
            for coercion in [Coercion::Lossless, Coercion::Strict] {
                let problem = &refused::<Plain>(&text, coercion)[0];
                assert_eq!(problem.kind, ProblemKind::InvalidJson, "{text}");
                let is_single_quoted = text.starts_with("{'");
                assert!(
                    problem.got.contains("reserved") || (is_single_quoted && coercion == Coercion::Strict),
                    "{problem:?}"
                );
            }
        }
    }
    // In a string it is no key.
    let quoted =
        r#"{"n":1,"s":"$serde_json::private::RawValue","o":{"s":"{\"$serde_json::private::RawValue\":\"1\"}"}}"#;
    assert_eq!(ran::<Plain>(quoted, Coercion::Lossless).args["s"], "$serde_json::private::RawValue");
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Point {
    x: f32,
}

parameters! { Floats requires a:
    a: f32,
    #[serde(default)] b: Option<f32>,
    #[serde(default)] c: Vec<Point>,
    #[serde(default)] d: f64,
    #[serde(default)] w: Option<u128>,
    #[serde(default)] v: Option<Value>,
}

#[test]
fn no_float_becomes_infinite_on_the_way() {
    let million = format!("1{}", "0".repeat(39));
    for (path, text) in [
        ("/a", r#"{"a":1e39}"#.to_owned()),
        ("/a", r#"{"a":-35e37}"#.to_owned()),
        ("/a", format!("{{\"a\":{million}}}")),
        ("/b", r#"{"a":1,"b":1E+39}"#.to_owned()),
        ("/c/1/x", r#"{"a":1,"c":[{"x":1},{"x":4e38}]}"#.to_owned()),
        ("/d", r#"{"a":1,"d":1e309}"#.to_owned()),
    ] {
        for coercion in [Coercion::Lossless, Coercion::Strict] {
            let problems = refused::<Floats>(&text, coercion);
            assert_eq!((problems.len(), &*problems[0].path), (1, path), "{text}");
            assert_eq!(problems[0].kind, ProblemKind::NumberOutOfRange, "{text}");
        }
    }
    let all = refused::<Floats>(r#"{"a":1e39,"b":true}"#, Coercion::Lossless);
    let found: Vec<_> = all.iter().map(|problem| [&*problem.path, &*problem.expected, &*problem.got]).collect();
    assert_eq!(
        found,
        [["/a", "number -3.4028235e38..=3.4028235e38", "1e39"], ["/b", "number or null", "boolean true"]]
    );
    assert_eq!(refused::<Floats>(r#"{"a":"1e39"}"#, Coercion::Lossless)[0].kind, ProblemKind::NumberOutOfRange);
    for text in [r#"{"a":3.4028235e38,"d":1e300,"v":1e300}"#, r#"{"a":1e-400,"d":0.1e39}"#] {
        assert!(ran::<Floats>(text, Coercion::Strict).args["a"].is_number());
    }
    let widest = format!("{{\"a\":1,\"w\":{}}}", u64::MAX);
    ran::<Floats>(&widest, Coercion::Strict);
}

#[test]
fn a_key_of_a_map_that_its_type_refuses_is_named() {
    parameters! { Maps requires c:
        c: BTreeMap<char, BTreeMap<u8, i32>>,
        #[serde(default)] p: Option<Vec<BTreeMap<i8, i32>>>,
    }
    let rows = [
        (r#"{"c":{"a":{},"ab":{}}}"#, "/c/ab", "no such field; keys here are single characters"),
        (r#"{"c":{"\"'\n":{}}}"#, "/c/\"'\n", "no such field; keys here are single characters"),
        (r#"{"c":{"a":{"1":1,"300":1}}}"#, "/c/a/300", "no such field; keys here are integers 0..=255"),
        (r#"{"c":{},"p":[{},{"-129":1}]}"#, "/p/1/-129", "no such field; keys here are integers -128..=127"),
    ];
    let schema = schema::<Maps>();
    for tool in [&Slotted::<Maps>(PhantomData) as &dyn Callable, &Whole::<Maps>(PhantomData)] {
        for (text, path, expected) in rows {
            let problems = call(tool, &schema, text, &Limits::default()).unwrap_err();
            let found: Vec<_> = problems.iter().map(|problem| (&*problem.path, &*problem.expected)).collect();
            assert_eq!(found, [(path, expected)], "{text}");
        }
    }
}

#[test]
fn many_duplicates_are_counted_as_some() {
    let many: Vec<String> = (0..10_000).map(|key| format!("\"{key}\":1,\"{key}\":2")).collect();
    let problems = refused::<Plain>(&format!("{{\"n\":1,\"o\":{{{}}}}}", many.join(",")), Coercion::Lossless);
    let text = message("t", &problems).to_string();
    assert!(text.contains("(100 or more problems)") && text.contains("… and 90 or more."), "{text}");
}

#[test]
fn long_keys_are_not_copied_for_every_problem() {
    let key = "k".repeat(200_000);
    let repeated = format!("{{\"{key}\":{{\"a\":1{}}}}}", ",\"a\":2".repeat(40_000));
    let bad = format!("{{\"n\":1,\"l\":[\"\"{}],\"m\":{{\"{key}\":[{}1]}}}}", ",5".repeat(10), "1,".repeat(25_000));
    let begun = Instant::now();
    let mut members = Members::new();
    assert_eq!(scan::scan(&repeated, 64, &mut members).unwrap().duplicates.len(), 1);
    let schema = json!({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}});
    let text = format!("{{\"{key}\":[{}1]}}", "1.5,".repeat(25_000).replace("1.5", "[]"));
    let problems = call(&Untyped, &schema, &text, &Limits::default()).unwrap_err();
    assert!(problems.iter().map(|problem| problem.path.len()).sum::<usize>() < 2 << 20);
    assert!(message("t", &problems).to_string().contains(" or more problems"));
    assert!(!refused::<Args>(&bad, Coercion::Lossless).is_empty());
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn arguments_given_as_deep_json_are_refused_and_dropped() {
    on_small_stack(|| {
        let nested = |levels: usize| {
            (1..levels).fold(json!({}), |inner, _| Value::Object(std::iter::once(("k".to_owned(), inner)).collect()))
        };
        let limits = Limits { depth: usize::MAX, ..Limits::default() };
        for levels in [127, 128, 129, 130, 512, 513, 100_000] {
            let call = ToolCall::new("1", "t", nested(levels));
            let copy = call.clone();
            let checked = check(&copy.arguments().text(), false, &Untyped, &json!({"type": "object"}), &limits);
            let kind = checked.err().map(|problems| problems[0].kind);
            assert_eq!(kind, (levels > 127).then_some(ProblemKind::TooDeep), "{levels}");
        }
    });
}

#[test]
fn the_value_sent_is_named() {
    let schema = json!({"type": "object", "properties": {"q": {"type": "string", "minLength": 2}}});
    let got = |text: &str| call(&Untyped, &schema, text, &Limits::default()).unwrap_err()[0].got.clone();
    assert_eq!(got(r#"{"q":7}"#), r#"string "7" (1 character)"#);
    assert_eq!(got(r#"{"q":""}"#), r#"string "" (0 characters)"#);
    assert_eq!(got(r#""hello""#), r#"string "hello""#);
}

#[test]
fn a_panic_leaves_nothing_behind() {
    struct Once(AtomicBool);
    impl Callable for Once {
        fn names(&self) -> Option<&'static [&'static [&'static str]]> {
            Some(&[&["n"]])
        }
        fn check(&self, args: RawArguments<'_>) -> Result<(), Vec<Misfit>> {
            assert!(self.0.swap(true, Ordering::Relaxed), "the first time");
            Whole::<Value>::decode(RawArguments { text: args.slots[0].unwrap_or("0"), slots: &[] }).map(drop)
        }
        fn start<'a>(&'a self, args: RawArguments<'_>, _: &'a CallContext) -> Result<Started<'a>, Vec<Misfit>> {
            self.check(args).map(|()| done(Value::Null))
        }
    }
    let tool = Once(AtomicBool::new(false));
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let check = || check(r#"{"n":1}"#, false, &tool, &schema, &Limits::default());
    assert!(catch_unwind(AssertUnwindSafe(check)).is_err());
    assert_eq!(check(), Ok(()));
}
