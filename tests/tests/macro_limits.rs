//! Limits of parameters: in the schema, and kept by every call.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::needless_pass_by_value, clippy::too_many_arguments)]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_runtime::{Dialect, Outcome, ProblemKind, RegisteredTool, Registry, Status, ToolCall, tool, tools};

fn registry(tools: [RegisteredTool; 1]) -> Registry {
    Registry::builder().tools(tools).without_store().build().unwrap()
}

fn call(tools: [RegisteredTool; 1], arguments: &str) -> Outcome {
    let registry = registry(tools);
    let name = registry.tool_names().next().unwrap().to_owned();
    registry.call_blocking(ToolCall::new("call_1", name, arguments))
}

fn properties(tools: [RegisteredTool; 1]) -> Value {
    registry(tools).definitions(Dialect::Mcp)[0]["inputSchema"]["properties"].clone()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Unit {
    #[serde(alias = "c")]
    Celsius,
    Fahrenheit,
}

#[tool]
fn limited(
    #[schemars(range(min = 1, max = 7))]
    #[serde(default = "three")]
    days: u8,
    #[schemars(length(min = 2, max = 4))] name: Option<&str>,
    #[schemars(length(max = 2))]
    #[serde(default)]
    units: Vec<Unit>,
    #[schemars(regex(pattern = "^[a-z]+$"))] code: Option<String>,
    #[schemars(range(max = 0.5))] share: Option<f64>,
    #[schemars(length(min = 1))] map: Option<BTreeMap<String, u8>>,
    free: Option<i8>,
) -> String {
    let units: String = units.iter().map(|unit| if matches!(unit, Unit::Celsius) { 'c' } else { 'f' }).collect();
    format!("{days} {name:?} {units} {code:?} {share:?} {map:?} {free:?}")
}

fn three() -> u8 {
    3
}

#[test]
fn what_keeps_to_the_limits_runs() {
    for (arguments, text) in [
        ("{}", "3 None  None None None None"),
        (
            r#"{"days":7,"name":"\u00e4\u00f6\u00fc\u00df"}"#,
            "7 Some(\"\u{e4}\u{f6}\u{fc}\u{df}\")  None None None None",
        ),
        // An alias is in no schema, and no limit either.
        (r#"{"units":["c","fahrenheit"]}"#, "3 None cf None None None None"),
        (
            r#"{"code":"ab","share":0.5,"map":{"a":1},"name":null}"#,
            "3 None  Some(\"ab\") Some(0.5) Some({\"a\": 1}) None",
        ),
        (r#"{"days":"7"}"#, "7 None  None None None None"),
    ] {
        assert_eq!(call(tools![limited], arguments).model_text(), text, "{arguments}");
    }
}

#[test]
fn what_breaks_a_limit_does_not_run() {
    for (arguments, path, expected) in [
        (r#"{"days":8}"#, "/days", "integer 1..=7"),
        (r#"{"days":"0"}"#, "/days", "integer 1..=7"),
        (r#"{"name":"a"}"#, "/name", "2..=4 characters"),
        (r#"{"units":["celsius","celsius","celsius"]}"#, "/units", "at most 2 items"),
        (r#"{"code":"A"}"#, "/code", "string or null (matching ^[a-z]+$)"),
        (r#"{"share":0.75}"#, "/share", "number up to 0.5 or null"),
        (r#"{"map":{}}"#, "/map", "at least 1"),
    ] {
        let outcome = call(tools![limited], arguments);
        assert_eq!(outcome.status(), Status::InvalidArguments, "{arguments}");
        let [problem] = outcome.problems() else { panic!("{:?}", outcome.problems()) };
        assert_eq!((problem.path.as_str(), problem.kind), (path, ProblemKind::OutOfBounds), "{arguments}");
        assert!(problem.expected.contains(expected), "{arguments}: {}", problem.expected);
    }
}

#[test]
fn limits_and_types_are_told_together() {
    let outcome = call(tools![limited], r#"{"days":8,"name":"a","free":300}"#);
    let paths: Vec<&str> = outcome.problems().iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(paths, ["/days", "/name", "/free"], "{:?}", outcome.problems());
    let registry = registry(tools![limited]);
    assert_eq!(registry.check(&ToolCall::new("1", "limited", r#"{"days":8}"#)).unwrap_err().len(), 1);
}

#[test]
fn an_alias_is_no_problem_beside_a_limit_that_is() {
    for (arguments, paths) in [
        (r#"{"units":["c"],"days":8}"#, &["/days"][..]),
        (r#"{"units":["c","c","celsius"]}"#, &["/units"]),
        (r#"{"units":["c","c","celsius"],"days":8}"#, &["/days", "/units"]),
        // The type refused something, and doesn't say what.
        (r#"{"units":["kelvin","c","celsius"]}"#, &["/units", "/units/0", "/units/1"]),
    ] {
        let outcome = call(tools![limited], arguments);
        let told: Vec<&str> = outcome.problems().iter().map(|problem| problem.path.as_str()).collect();
        assert_eq!(told, paths, "{arguments}: {:?}", outcome.problems());
    }
}

#[derive(Deserialize, JsonSchema, garde::Validate)]
struct Point {
    #[garde(range(max = 9))]
    x: u8,
}

#[tool]
fn guarded(
    #[garde(range(min = 1, max = 7))] days: u8,
    #[garde(length(chars, min = 2, max = 4))]
    #[serde(default = "ab")]
    name: &str,
    #[garde(length(max = 4))] bytes: Option<String>,
    #[garde(email)] mail: Option<String>,
    #[garde(pattern(r"^\d+$"), length(equal = 2))] digits: Option<String>,
    #[garde(ipv4)] ip: Option<String>,
    #[garde(prefix("a."), ascii)] path: Option<String>,
    #[garde(dive)] point: Option<Point>,
) -> String {
    format!("{days} {name} {bytes:?} {mail:?} {digits:?} {ip:?} {path:?} {:?}", point.map(|point| point.x))
}

fn ab() -> String {
    "ab".to_owned()
}

#[test]
fn gardes_rules_are_in_the_schema() {
    let properties = properties(tools![guarded]);
    assert_eq!((&properties["days"]["minimum"], &properties["days"]["maximum"]), (&json!(1), &json!(7)));
    assert_eq!((&properties["name"]["minLength"], &properties["name"]["maxLength"]), (&json!(2), &json!(4)));
    assert_eq!(properties["bytes"]["maxLength"], 4);
    assert_eq!(properties["mail"]["format"], "email");
    assert_eq!(properties["digits"]["pattern"], r"^\d+$");
    // Two bytes may be one character.
    assert_eq!((&properties["digits"]["minLength"], &properties["digits"]["maxLength"]), (&json!(1), &json!(2)));
    assert_eq!(properties["ip"]["format"], "ipv4");
    assert_eq!(properties["path"]["pattern"], r"^a\.");
}

#[test]
fn gardes_rules_are_kept() {
    let fine =
        r#"{"days":1,"bytes":"abcd","mail":"a@b.org","digits":"12","ip":"1.2.3.4","path":"a.b","point":{"x":9}}"#;
    let text = r#"1 ab Some("abcd") Some("a@b.org") Some("12") Some("1.2.3.4") Some("a.b") Some(9)"#;
    assert_eq!(call(tools![guarded], fine).model_text(), text);
    for (more, path, expected) in [
        (r#""days":9"#, "/days", "integer 1..=7"),
        (r#""days":1,"name":"abcde""#, "/name", "2..=4 characters"),
        ("\"days\":1,\"bytes\":\"\u{e4}\u{e4}\u{e4}\"", "/bytes", "greater than 4"),
        (r#""days":1,"mail":"a""#, "/mail", "not a valid email"),
        (r#""days":1,"digits":"ab""#, "/digits", r"matching ^\d+$"),
        (r#""days":1,"ip":"x""#, "/ip", "not a valid IPv4 address"),
        (r#""days":1,"path":"b""#, "/path", "does not begin with"),
        (r#""days":1,"point":{"x":10}"#, "/point/x", "0..=9"),
    ] {
        let outcome = call(tools![guarded], &format!("{{{more}}}"));
        assert_eq!(outcome.status(), Status::InvalidArguments, "{more}");
        let [problem] = outcome.problems() else { panic!("{:?}", outcome.problems()) };
        assert_eq!((problem.path.as_str(), problem.kind), (path, ProblemKind::OutOfBounds), "{more}");
        assert!(problem.expected.contains(expected), "{more}: {}", problem.expected);
    }
}

#[test]
fn a_pattern_that_calls_can_not_be_held_to_is_an_error_when_the_registry_is_built() {
    #[tool]
    fn unclosed(#[schemars(regex(pattern = "(["))] text: String) {
        drop(text);
    }
    #[tool]
    fn looking_ahead(#[schemars(regex(pattern = "^(?=a)"))] text: Option<String>) {
        drop(text);
    }
    #[tool]
    fn guarded_unclosed(#[garde(pattern("(["))] text: String) {
        drop(text);
    }
    for (tool, reason) in [
        (tools![unclosed], "the pattern `([` of parameter `text`, unclosed character class;"),
        (tools![looking_ahead], "the pattern `^(?=a)` of parameter `text`, look-around, "),
        (tools![guarded_unclosed], "the pattern `([` of parameter `text`, unclosed character class;"),
    ] {
        let error = Registry::builder().tools(tool).without_store().build().unwrap_err().to_string();
        assert!(error.contains(reason) && error.contains("extend(\"pattern\" = ..)"), "{error}");
    }
}

#[test]
fn a_pattern_in_the_schema_only_is_told_and_not_held() {
    #[tool]
    fn told(#[schemars(extend("pattern" = "^(?=a)"))] text: String) -> String {
        text
    }
    assert_eq!(properties(tools![told])["text"]["pattern"], "^(?=a)");
    assert_eq!(call(tools![told], r#"{"text":"b"}"#).model_text(), "b");
}

#[test]
fn bounds_that_leave_nothing_are_an_error_when_the_registry_is_built() {
    #[tool]
    fn empty_range(#[schemars(range(min = 9, max = 5))] number: u8) {
        let _ = number;
    }
    #[tool]
    fn empty_length(#[schemars(length(max = 1, min = 2))] text: String) {
        drop(text);
    }
    #[tool]
    fn exact(#[schemars(range(min = 5, max = 5))] number: u8, #[schemars(length(equal = 2))] text: String) -> String {
        format!("{number}{text}")
    }
    assert_eq!(call(tools![exact], r#"{"number":5,"text":"ab"}"#).model_text(), "5ab");
    for (tool, expected) in [
        (tools![empty_range], "`#[schemars(range)]` on parameter `number` leaves nothing, `min` is above `max`"),
        (tools![empty_length], "`#[schemars(length)]` on parameter `text` leaves nothing, `min` is above `max`"),
    ] {
        let error = Registry::builder().tools(tool).without_store().build().unwrap_err().to_string();
        assert_eq!(error.matches(expected).count(), 1, "{error}");
    }
}
