//! What `#[tool]` writes into a tool's name, description and schema.
#![allow(missing_docs, clippy::unwrap_used, clippy::needless_pass_by_value, clippy::unnecessary_wraps)]

use std::{borrow::Cow, collections::BTreeMap};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_runtime::{Dialect, RegisteredTool, Registry, tool, tools};

/// The `function` object of the OpenAI definition.
fn defined(tools: impl IntoIterator<Item = RegisteredTool>) -> Value {
    let registry = Registry::builder().tools(tools).without_store().build().unwrap();
    registry.definitions(Dialect::OpenAiChat)[0]["function"].clone()
}

fn schema(tools: impl IntoIterator<Item = RegisteredTool>) -> Value {
    defined(tools)["parameters"].clone()
}

#[test]
fn the_doc_comment_is_the_description_and_the_name_is_the_functions() {
    /// Reports the weather.
    ///
    /// Only for cities:
    ///
    ///     Paris
    #[tool]
    fn get_weather(city: String) -> String {
        city
    }
    let function = defined(tools![get_weather]);
    assert_eq!(function["name"], "get_weather");
    assert_eq!(function["description"], "Reports the weather.\n\nOnly for cities:\n\n    Paris");
}

#[test]
fn keys_win_over_the_doc_comment_and_the_functions_name() {
    /// For programmers.
    #[tool(name = "weather.get", description = concat!("For ", "models."))]
    fn get_weather() {}
    let registry = Registry::builder().tools(tools![get_weather]).without_store().build().unwrap();
    assert_eq!(registry.tool_names().collect::<Vec<_>>(), ["weather.get"]);
    assert_eq!(registry.definitions(Dialect::Mcp)[0]["description"], "For models.");
}

#[test]
fn a_doc_comment_may_come_from_a_file() {
    /// First.
    #[doc = include_str!("data/description.md")]
    /// Last.
    #[tool]
    fn described() {}
    assert_eq!(defined(tools![described])["description"], "First.\nFrom a file,\n  two lines.\n\nLast.");
}

#[test]
fn bullets_beside_a_file_describe_parameters_too() {
    /// First.
    ///
    /// # Arguments
    /// * `a` - one number
    ///
    #[doc = include_str!("data/description.md")]
    /// # Parameters
    /// - b: another
    #[tool]
    fn described(a: i64, b: i64) -> i64 {
        a + b
    }
    let defined = defined(tools![described]);
    assert_eq!(defined["description"], "First.\nFrom a file,\n  two lines.");
    assert_eq!(defined["parameters"]["properties"]["a"]["description"], "one number");
    assert_eq!(defined["parameters"]["properties"]["b"]["description"], "another");
}

#[test]
fn bullets_describe_parameters_and_leave_the_description() {
    /// Add.
    ///
    /// # Arguments
    /// * `a` - first number
    /// * `b` - never seen, the parameter speaks for itself
    /// * `third` - described by the name that the model reads
    ///
    /// # Errors
    /// None.
    #[tool]
    fn add(
        a: u32,
        /// Second number,
        /// on two lines.
        b: u32,
        #[serde(rename = "third")] c: u32,
    ) -> u32 {
        a + b + c
    }
    let function = defined(tools![add]);
    assert_eq!(function["description"], "Add.\n\n# Errors\nNone.");
    let properties = &function["parameters"]["properties"];
    assert_eq!(properties["a"]["description"], "first number");
    assert_eq!(properties["b"]["description"], "Second number,\non two lines.");
    assert_eq!(properties["third"]["description"], "described by the name that the model reads");
}

#[test]
fn properties_stand_in_the_order_of_the_parameters() {
    #[tool]
    fn ordered(zeta: u8, alpha: u8, mid: Option<u8>, r#type: String) -> u8 {
        drop((mid, r#type));
        zeta + alpha
    }
    let schema = schema(tools![ordered]);
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["zeta", "alpha", "mid", "type"]);
    assert_eq!(schema["required"], json!(["zeta", "alpha", "type"]));
}

type Perhaps<T> = Option<T>;

#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
struct Maybe(#[expect(dead_code, reason = "only its schema counts")] Option<u8>);

#[test]
fn optional_is_what_takes_an_absent_value_whatever_it_is_called() {
    #[tool]
    fn optional(
        a: Perhaps<u8>,
        b: Maybe,
        c: Option<&str>,
        #[serde(default)] d: Vec<u8>,
        e: (),
        f: Value,
        #[schemars(with = "String")] g: Option<u8>,
    ) {
        drop((a, b, c, d, e, f, g));
    }
    assert_eq!(schema(tools![optional])["required"], json!(["e", "f"]));
}

fn seven() -> u8 {
    7
}

/// Not serialisable, so its default can't be shown.
#[derive(Default, Deserialize, JsonSchema)]
struct Opaque {
    #[serde(default)]
    _inner: u8,
}

#[test]
fn defaults_are_shown_where_their_type_can_be() {
    #[tool]
    fn defaults(
        #[serde(default = "seven")] path: u8,
        #[serde(default)] text: String,
        #[serde(default)] opaque: Opaque,
        #[serde(default)] nothing: Option<u8>,
    ) {
        drop((path, text, opaque, nothing));
    }
    let schema = schema(tools![defaults]);
    assert_eq!(schema.get("required"), None);
    let default = |name: &str| schema["properties"][name].get("default").cloned();
    assert_eq!(default("path"), Some(json!(7)));
    assert_eq!(default("text"), Some(json!("")));
    assert_eq!(default("opaque"), None);
    assert_eq!(default("nothing"), None);
}

const MOST: u64 = u64::MAX;
const PATTERN: &str = "^[a-z]+$";

#[test]
fn schemars_attributes_work_as_on_a_field() {
    #[tool]
    fn bounded(
        #[schemars(range(min = 1, max = MOST))] number: u64,
        #[schemars(range(min = -1.5, max = 2))] float: f64,
        #[schemars(range(max = -3))] negative: Option<i32>,
        #[schemars(length(min = 1, max = 5), regex(pattern = PATTERN))] text: &str,
        #[schemars(length(equal = 2))] list: &[u8],
        #[schemars(title = "Title", description = "Said", extend("x-a" = [1, {"b": null}], "x-b" = true))]
        /// Unsaid.
        extended: String,
        #[schemars(example = "one", example = "two")] examples: String,
        #[schemars(example = 5_000_000_000, example = -1)] big: i64,
        #[schemars(with = "BTreeMap<String, u8>", length(max = 3))] other: Value,
    ) {
        drop((number, float, negative, text, list, extended, examples, big, other));
    }
    let schema = schema(tools![bounded]);
    let property = |name: &str, key: &str| schema["properties"][name][key].clone();
    assert_eq!(property("number", "minimum"), 1);
    assert_eq!(property("number", "maximum"), u64::MAX);
    assert_eq!(property("float", "minimum"), -1.5);
    assert_eq!(property("float", "maximum"), 2);
    assert_eq!(property("negative", "maximum"), -3);
    assert_eq!(property("text", "minLength"), 1);
    assert_eq!(property("text", "maxLength"), 5);
    assert_eq!(property("text", "pattern"), PATTERN);
    assert_eq!(property("list", "minItems"), 2);
    assert_eq!(property("list", "maxItems"), 2);
    assert_eq!(property("extended", "title"), "Title");
    assert_eq!(property("extended", "description"), "Said");
    assert_eq!(property("extended", "x-a"), json!([1, {"b": null}]));
    assert_eq!(property("extended", "x-b"), true);
    assert_eq!(property("examples", "examples"), json!(["one", "two"]));
    assert_eq!(property("big", "examples"), json!([5_000_000_000_u64, -1]));
    assert_eq!(property("other", "additionalProperties")["type"], "integer");
    assert_eq!(property("other", "maxProperties"), 3);
}

#[test]
fn a_bound_without_effect_is_an_error_when_the_registry_is_built() {
    #[tool]
    fn ineffective(#[schemars(range(min = 1, max = 2))] text: String, #[schemars(length(min = 1))] number: u8) {
        drop((text, number));
    }
    let error = Registry::builder().tools(tools![ineffective]).without_store().build().unwrap_err().to_string();
    let of_text =
        "`#[schemars(range)]` on parameter `text` has no effect, it bounds numbers; a text or a list takes `length`";
    assert_eq!(error.matches(of_text).count(), 1, "{error}");
    let of_number =
        "`#[schemars(length)]` on parameter `number` has no effect, it bounds texts and lists; a number takes `range`";
    assert_eq!(error.matches(of_number).count(), 1, "{error}");
}

#[derive(Deserialize, JsonSchema)]
struct Inner {
    _deep: Vec<u8>,
}

/// Nested.
#[derive(Deserialize, JsonSchema)]
struct Outer {
    _inner: Inner,
}

#[derive(Deserialize, JsonSchema)]
struct Node {
    _children: Vec<Node>,
}

#[test]
fn one_schema_holds_all_parameters_and_every_ref_resolves_from_its_root() {
    fn refs(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(map) => map.iter().for_each(|(key, inner)| match inner {
                Value::String(target) if key == "$ref" => found.push(target.clone()),
                _ => refs(inner, found),
            }),
            Value::Array(items) => items.iter().for_each(|item| refs(item, found)),
            _ => {}
        }
    }
    #[tool]
    fn nested(a: Outer, b: Vec<Inner>, c: Outer, tree: Node) {
        drop((a, b, c, tree));
    }
    let schema = schema(tools![nested]);
    let mut found = Vec::new();
    refs(&schema, &mut found);
    assert!(!found.is_empty());
    for target in found {
        assert!(schema.pointer(target.strip_prefix('#').unwrap()).is_some(), "{target} in {schema}");
    }
    assert_eq!(schema["$defs"].as_object().unwrap().keys().collect::<Vec<_>>(), ["Node"], "only what is recursive");
    assert_eq!(schema["properties"]["a"]["properties"]["_inner"]["type"], "object");
}

#[test]
fn borrowed_parameters_have_the_schema_of_what_they_lend() {
    #[tool]
    fn lent(a: &str, b: &[String], c: &std::path::Path, d: Cow<'_, str>, e: Cow<str>, f: &Opaque) {
        let _ = (a, b, c, d, e, f);
    }
    let schema = schema(tools![lent]);
    let kinds: Vec<&Value> = schema["properties"].as_object().unwrap().values().map(|one| &one["type"]).collect();
    assert_eq!(kinds, ["string", "array", "string", "string", "string", "object"]);
}

#[test]
fn hints_and_title_reach_mcp() {
    #[tool(title = "Look", read_only, idempotent, open_world)]
    fn look() {}
    #[tool(destructive)]
    fn wipe() {}
    let registry = Registry::builder().tools(tools![look, wipe]).without_store().build().unwrap();
    let definitions = registry.definitions(Dialect::Mcp);
    let annotations = &definitions[0]["annotations"];
    assert_eq!(annotations["readOnlyHint"], true);
    assert_eq!(annotations["idempotentHint"], true);
    assert_eq!(annotations["openWorldHint"], true);
    assert_eq!(definitions[0]["title"], "Look");
    assert_eq!(definitions[1]["annotations"]["destructiveHint"], true);
}
