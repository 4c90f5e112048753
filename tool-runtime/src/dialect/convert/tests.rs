//! The table `tests/cases/dialect.json`, and the kinds behind its rows.

#![allow(clippy::unwrap_used, clippy::panic, dead_code)]

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    num::NonZeroI32,
};

use proptest::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Converted, Form, Weight, convert};
use crate::schema::{self, Generator};

#[derive(Deserialize, JsonSchema)]
struct EmptyStruct {}

fn ten() -> u32 {
    10
}

#[derive(Deserialize, JsonSchema)]
struct Defaults {
    #[serde(default)]
    a: u32,
    #[serde(default = "ten")]
    b: u32,
    #[serde(default)]
    c: Vec<String>,
    #[serde(default)]
    d: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    e: Option<u8>,
    #[serde(default)]
    f: bool,
}

/// Temperature unit
#[derive(Deserialize, JsonSchema)]
enum UnitDoc {
    /// Metric degrees
    Celsius,
    /// Imperial degrees
    Fahrenheit,
}

#[derive(Deserialize, JsonSchema)]
enum UnitPartlyDoc {
    Celsius,
    /// Imperial
    Fahrenheit,
    #[serde(alias = "K")]
    Kelvin,
}

#[derive(Deserialize, JsonSchema)]
enum Unit {
    Celsius,
    Fahrenheit,
}

#[derive(Deserialize, JsonSchema)]
struct PlainNested {
    x: i32,
    y: Option<String>,
}

/// Nested doc
#[derive(Deserialize, JsonSchema)]
struct Nested {
    /// the x field
    x: i32,
    y: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum PlainInt {
    A,
    B(PlainNested),
    C { x: String },
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Int {
    A,
    B(Nested),
    C { x: String },
}

#[derive(Deserialize, JsonSchema)]
enum Ext {
    A,
    B(u32),
    C { x: String },
    D(u8, u8),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Unt {
    S(String),
    N(f64),
    O { x: String },
}

#[derive(Deserialize, JsonSchema)]
struct FlatEnum {
    q: String,
    #[serde(flatten)]
    p: Int,
}

#[derive(Deserialize, JsonSchema)]
struct FlatExt {
    q: String,
    #[serde(flatten)]
    e: Ext,
}

#[derive(Deserialize, JsonSchema)]
struct Tree {
    value: i32,
    children: Vec<Tree>,
    /// one up
    parent: Option<Box<Tree>>,
}

#[derive(Deserialize, JsonSchema)]
struct Node {
    name: String,
    children: Vec<Node>,
}

#[derive(Deserialize, JsonSchema)]
struct HasNode {
    root: Node,
    opt: Option<Box<Node>>,
}

#[derive(Deserialize, JsonSchema)]
struct Vals {
    v: Value,
    m: serde_json::Map<String, Value>,
    n: serde_json::Number,
    o: Option<Value>,
    l: Vec<Value>,
}

#[derive(Deserialize, JsonSchema)]
struct Valid {
    #[schemars(range(min = 1, max = 100))]
    a: i32,
    #[schemars(length(min = 1, max = 5))]
    b: String,
    #[schemars(length(min = 1, max = 5))]
    c: Vec<u8>,
    #[schemars(regex(pattern = r"^\d+$"))]
    d: String,
    #[schemars(email)]
    e: String,
    #[schemars(url)]
    f: String,
    #[schemars(contains(pattern = "xx"))]
    g: String,
    #[schemars(range(min = 0.0, max = 1.5))]
    h: f64,
    #[schemars(length(equal = 3))]
    i: Vec<f32>,
    #[schemars(inner(length(min = 2)))]
    j: Vec<String>,
    k: u8,
    #[schemars(range(min = 1, max = 100))]
    l: Option<i32>,
}

#[derive(Deserialize, JsonSchema)]
struct Outer {
    /// field doc on ref
    a: Nested,
    b: Nested,
    c: Option<Nested>,
    d: Vec<Nested>,
    e: Option<Vec<Nested>>,
    f: Option<Unit>,
    #[serde(default)]
    g: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
struct Names {
    #[serde(rename = "filter[id]")]
    a: u8,
    #[serde(rename = "$top")]
    b: u8,
    #[serde(rename = "日本")]
    c: u8,
}

#[derive(Deserialize, JsonSchema)]
enum Never {}

#[derive(Deserialize, JsonSchema, PartialEq, Eq, Hash)]
#[serde(rename_all = "snake_case")]
enum SnakeEnum2 {
    FooBar,
    BazQux,
}

#[derive(Deserialize, JsonSchema)]
struct NonStrKey {
    a: HashMap<u32, String>,
    b: BTreeMap<String, Vec<u8>>,
    c: HashMap<SnakeEnum2, u8>,
    d: HashMap<i8, u8>,
    e: HashMap<bool, u8>,
}

mod m1 {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    pub(super) struct Dup {
        a: u8,
    }
}

mod m2 {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    pub(super) struct Dup {
        b: u8,
    }
}

#[derive(Deserialize, JsonSchema)]
struct DupUser {
    x: m1::Dup,
    y: m2::Dup,
}

// `fn t(arg: T)`.
#[derive(Deserialize, JsonSchema)]
struct One<T> {
    arg: T,
}

fn of<T: JsonSchema>() -> Value {
    internal(Generator::of_arguments().get().root_schema_for::<T>().to_value())
}

fn internal(schema: Value) -> Value {
    schema::normalise(schema).unwrap()
}

fn one(schema: &Value) -> Value {
    internal(json!({ "type": "object", "properties": { "arg": schema }, "required": ["arg"] }))
}

/// The schemas of the types that the rows name.
fn schema_of_row(id: &str) -> Value {
    match id {
        "conv-01" => of::<EmptyStruct>(),
        "conv-05" | "conv-06" | "conv-07" => of::<Defaults>(),
        "conv-10" => of::<One<UnitDoc>>(),
        "conv-12" => of::<One<UnitPartlyDoc>>(),
        "conv-14" => of::<One<PlainInt>>(),
        "conv-16" => of::<One<Ext>>(),
        "conv-18" => of::<One<Unt>>(),
        "conv-20" | "conv-21" => of::<FlatEnum>(),
        "conv-25" => of::<HasNode>(),
        "conv-26" | "conv-27" => of::<One<(i32, String)>>(),
        "conv-32" => of::<Vals>(),
        "conv-35" | "conv-36" => of::<Valid>(),
        "conv-38" | "conv-39" => of::<Outer>(),
        "conv-41" => of::<Names>(),
        "conv-43" => of::<One<Never>>(),
        "conv-44" => of::<NonStrKey>(),
        "conv-45" => of::<One<NonZeroI32>>(),
        "conv-46" => of::<One<BTreeSet<String>>>(),
        "conv-48" => one(&json!({ "type": "string", "format": "uri" })),
        "conv-49" => one(&json!({ "type": ["string", "number"], "pattern": r"^-?\d+(\.\d+)?([eE]\d+)?$" })),
        "conv-50" => of::<DupUser>(),
        _ => panic!("{id} has no type"),
    }
}

fn form_of(provider: &str) -> Form {
    match provider {
        "openai_chat" | "mcp_compat" | "gemini_json" => Form::Open,
        "anthropic" => Form::OpenAnthropic,
        "openai_strict" => Form::OpenAiStrict,
        "anthropic_strict" => Form::AnthropicStrict,
        _ => panic!("{provider}"),
    }
}

#[test]
fn every_row_of_the_table() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("../../../../tests/cases/dialect.json")).unwrap();
    let rows = rows.iter().filter(|row| row["area"] == "schema-conversion");
    let mut wrong = Vec::new();
    for row in rows {
        let id = row["id"].as_str().unwrap();
        let Converted { schema, losses } = convert(&schema_of_row(id), form_of(row["provider"].as_str().unwrap()));
        let refused = losses.iter().find(|loss| loss.weight == Weight::Inexpressible);
        match (row["expect"]["reject"].as_str(), refused) {
            (Some(why), Some(loss)) if loss.what == why => {}
            (Some(why), found) => wrong.push(format!("{id}: {found:?} in place of {why}")),
            (None, Some(loss)) => wrong.push(format!("{id}: {loss:?}")),
            (None, None) if schema == row["expect"]["schema"] => {}
            (None, None) => wrong.push(format!("{id}:\n  is {schema}\n  not {}", row["expect"]["schema"])),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn refusals(schema: &Value, form: Form) -> Vec<(String, String)> {
    let losses = convert(schema, form).losses;
    losses.into_iter().filter(|loss| loss.weight == Weight::Inexpressible).map(|loss| (loss.path, loss.what)).collect()
}

fn refused(schema: &Value, form: Form) -> Vec<String> {
    refusals(schema, form).into_iter().map(|(path, _)| path).collect()
}

#[test]
fn mac_04_a_map_is_not_strict() {
    let schema = of::<One<HashMap<String, u8>>>();
    for form in [Form::OpenAiStrict, Form::AnthropicStrict] {
        let [(path, what)] = &refusals(&schema, form)[..] else { panic!("one refusal") };
        assert_eq!(path, "/properties/arg");
        assert!(what.contains("list of entries") && what.contains("drop `strict`"), "{what}");
    }
    assert!(convert(&schema, Form::Open).is_faithful());
}

#[test]
fn any_value_is_not_strict() {
    assert_eq!(
        refused(&of::<Vals>(), Form::OpenAiStrict),
        ["/properties/v", "/properties/m", "/properties/o", "/properties/l/items"]
    );
}

#[test]
fn a_recursive_type_is_not_strict_for_anthropic() {
    assert_eq!(refused(&of::<Tree>(), Form::AnthropicStrict), ["/properties/children/items"]);
    assert_eq!(refused(&of::<HasNode>(), Form::AnthropicStrict), ["/properties/root/properties/children/items"]);
    assert!(convert(&of::<Tree>(), Form::OpenAiStrict).is_faithful());
    let shared = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/P" }, "b": { "$ref": "#/$defs/P" } },
        "$defs": { "P": { "type": "object", "properties": { "x": { "type": "integer" } } } } });
    assert!(convert(&internal(shared), Form::AnthropicStrict).is_faithful());
}

#[test]
fn a_reference_stands_alone_in_every_form() {
    for form in [Form::Open, Form::OpenAnthropic, Form::OpenAiStrict] {
        let tree = convert(&of::<Tree>(), form).schema;
        let parent = &tree["properties"]["parent"];
        assert_eq!(parent["description"], "one up", "{form:?}");
        assert_eq!(parent["anyOf"][0], json!({ "$ref": "#" }), "{form:?}");
        assert_eq!(parent.as_object().unwrap().len(), 2, "{form:?}");
    }
}

#[test]
fn a_choice_without_a_tag_is_told_at_the_root() {
    let converted = convert(&of::<FlatExt>(), Form::OpenAnthropic);
    assert_eq!(converted.schema["description"], "Exactly one of these is required: B; C; D; A.");
    assert_eq!(converted.schema["required"], json!(["q"]));
    assert!(converted.schema.get("oneOf").is_none() && converted.schema.get("anyOf").is_none());
    assert!(converted.is_faithful());
    assert_eq!(refused(&of::<FlatExt>(), Form::OpenAiStrict), [""]);
}

#[test]
fn a_choice_inside_is_whole_objects_where_it_is_strict() {
    let schema = of::<One<FlatEnum>>();
    let open = convert(&schema, Form::Open).schema;
    assert_eq!(open["properties"]["arg"]["properties"], json!({ "q": { "type": "string" } }));
    let strict = convert(&schema, Form::OpenAiStrict);
    assert!(strict.is_faithful());
    let arg = &strict.schema["properties"]["arg"];
    assert!(arg.get("properties").is_none() && arg.get("type").is_none());
    assert_eq!(arg["anyOf"][1]["required"], json!(["kind", "x", "y", "q"]));
    assert_eq!(arg["anyOf"][1]["properties"]["kind"], json!({ "type": "string", "const": "B" }));
}

#[test]
fn objects_that_begin_alike_are_not_told_apart() {
    let choice = json!({ "anyOf": [
        { "type": "object", "properties": { "x": { "type": "string" } }, "required": ["x"] },
        { "type": "object", "properties": { "x": { "type": "integer" }, "y": { "type": "integer" } }, "required": ["x", "y"] },
    ]});
    assert_eq!(refused(&one(&choice), Form::OpenAiStrict), ["/properties/arg"]);
    assert!(refused(&one(&choice), Form::AnthropicStrict).is_empty());
}

#[test]
fn null_that_means_something_is_said() {
    let schema = of::<One<Vec<Option<u8>>>>();
    let items = |form| convert(&schema, form).schema["properties"]["arg"]["items"].clone();
    assert_eq!(
        items(Form::Open),
        json!({ "type": "integer", "minimum": 0, "maximum": 255, "description": "(null is allowed)" })
    );
    assert_eq!(items(Form::OpenAiStrict)["type"], json!(["integer", "null"]));
    assert_eq!(items(Form::AnthropicStrict)["type"], json!(["integer", "null"]));
}

#[test]
fn a_variant_that_cannot_be_is_left_out() {
    let either = json!({ "anyOf": [{ "type": "string" }, { "not": {} }] });
    let converted = convert(&one(&either), Form::Open);
    assert_eq!(converted.schema["properties"]["arg"], json!({ "type": "string" }));
    assert!(converted.losses.is_empty());
    let optional = internal(json!({ "type": "object", "properties": { "a": false, "b": { "type": "string" } } }));
    assert_eq!(convert(&optional, Form::Open).schema["properties"], json!({ "b": { "type": "string" } }));
}

#[test]
fn keywords_that_a_grammar_has_not_are_said() {
    let arg = json!({ "type": "string", "description": "A word.", "minLength": 2, "pattern": "(?=a)b", "default": "ab", "examples": ["ab"] });
    let schema = internal(json!({ "type": "object", "properties": { "arg": arg } }));
    assert_eq!(
        convert(&schema, Form::OpenAiStrict).schema["properties"]["arg"],
        json!({ "type": ["string", "null"],
            "description": "A word. (minLength: 2) (pattern: (?=a)b) (default: ab) (examples: [\"ab\"])" })
    );
}

#[test]
fn a_foreign_parameter_of_anthropic_is_told_in_words() {
    let Converted { schema, losses } = convert(&of::<Names>(), Form::OpenAnthropic);
    assert_eq!(schema["properties"], json!({}));
    assert_eq!(schema.get("required"), None);
    assert!(schema["description"].as_str().unwrap().contains("Also takes `$top` (required): {\"type\":\"integer\""));
    assert_eq!(losses.len(), 3);
    // Only the root's names are looked at.
    assert!(convert(&of::<One<Names>>(), Form::OpenAnthropic).losses.is_empty());
}

#[test]
fn a_root_that_refers_is_what_it_refers_to() {
    let schema = json!({ "$ref": "#/definitions/A", "definitions": { "A": {
        "type": "object", "properties": { "x": { "type": "integer" } }, "required": ["x"] } } });
    let converted = convert(&internal(schema), Form::Open).schema;
    assert_eq!(converted["properties"], json!({ "x": { "type": "integer" } }));
    assert_eq!(converted["required"], json!(["x"]));
    assert!(converted.get("$ref").is_none());
}

#[test]
fn references_in_circles_and_many_of_them_come_to_an_end() {
    let circle = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/a" } }, "$ref": "#/$defs/a",
        "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } });
    let mut definitions = serde_json::Map::new();
    for level in 0..60 {
        let next = format!("#/$defs/d{}", level + 1);
        let both = json!({ "type": "object", "properties": { "l": { "$ref": next }, "r": { "$ref": next } } });
        definitions.insert(format!("d{level}"), both);
    }
    definitions.insert("d60".into(), json!({ "type": "string" }));
    let wide = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/d0" } }, "$defs": definitions });
    for schema in [circle, wide] {
        let schema = internal(schema);
        for form in [Form::Open, Form::OpenAnthropic, Form::OpenAiStrict, Form::AnthropicStrict] {
            let _ = convert(&schema, form);
        }
    }
}

#[test]
fn s04_an_optional_parameter_has_its_plain_type() {
    #[derive(Deserialize, JsonSchema)]
    struct Describe {
        tables: Option<Vec<String>>,
        limit: Option<u32>,
        tag: Option<String>,
    }
    for form in [Form::Open, Form::OpenAnthropic] {
        assert_eq!(
            convert(&of::<Describe>(), form).schema,
            json!({ "type": "object", "properties": {
                "tables": { "type": "array", "items": { "type": "string" } },
                "limit": { "type": "integer", "minimum": 0 },
                "tag": { "type": "string" },
            }})
        );
    }
}

/// What a strict schema promises, looked for everywhere in it.
fn assert_closed(schema: &Value, form: Form, id: &str) {
    let Value::Object(object) = schema else { return };
    for key in ["oneOf", "allOf", "minLength", "maxLength", "uniqueItems", "prefixItems", "patternProperties", "not"] {
        assert!(!object.contains_key(key), "{id}: {key} in {schema}");
    }
    assert!(!object.contains_key("$ref") || object.len() == 1, "{id}: {schema}");
    if let Some(Value::Object(properties)) = object.get("properties") {
        assert_eq!(object["additionalProperties"], false, "{id}");
        if form == Form::OpenAiStrict {
            let names: Vec<&String> = properties.keys().collect();
            assert_eq!(object["required"], json!(names), "{id}");
        }
        properties.values().for_each(|schema| assert_closed(schema, form, id));
    }
    for value in ["items", "anyOf", "$defs"].iter().filter_map(|key| object.get(*key)) {
        match value {
            Value::Array(branches) => branches.iter().for_each(|schema| assert_closed(schema, form, id)),
            Value::Object(named) if object.get("$defs") == Some(value) => {
                named.values().for_each(|schema| assert_closed(schema, form, id));
            }
            schema => assert_closed(schema, form, id),
        }
    }
}

#[test]
fn s05_a_faithful_strict_schema_is_closed_everywhere() {
    #[derive(Deserialize, JsonSchema)]
    enum Tier {
        /// short lived
        Hot,
        /// archived
        Cold,
    }
    #[derive(Deserialize, JsonSchema)]
    struct MovePage {
        /// where it goes
        tier: Tier,
        id: String,
    }
    let tier = &convert(&of::<MovePage>(), Form::OpenAiStrict).schema["properties"]["tier"];
    assert_eq!((&tier["type"], &tier["enum"]), (&json!("string"), &json!(["Hot", "Cold"])));

    let ids = [1, 5, 10, 12, 14, 16, 18, 20, 25, 26, 32, 35, 38, 44, 45, 46, 48, 49, 50];
    for id in ids.map(|id| format!("conv-{id:02}")) {
        for form in [Form::OpenAiStrict, Form::AnthropicStrict] {
            let converted = convert(&schema_of_row(&id), form);
            if converted.is_faithful() {
                assert_closed(&converted.schema, form, &id);
            }
        }
    }
}

#[test]
fn an_empty_object_can_be_strict() {
    assert_eq!(
        convert(&of::<EmptyStruct>(), Form::OpenAiStrict).schema,
        json!({ "type": "object", "properties": {}, "required": [], "additionalProperties": false })
    );
}

#[test]
fn converting_again_changes_nothing() {
    for id in ["conv-05", "conv-20", "conv-25", "conv-26", "conv-44"] {
        for form in [Form::Open, Form::OpenAnthropic] {
            let once = convert(&schema_of_row(id), form).schema;
            assert_eq!(convert(&once, form).schema, once, "{id}");
        }
    }
}

#[test]
fn what_a_choice_brings_in_is_brought_into_form_too() {
    let shared = json!({ "type": "object", "properties": { "a": { "type": ["integer", "string"] } },
        "patternProperties": { "^x": { "type": "integer" } }, "unevaluatedProperties": false });
    let schema = json!({ "type": "object", "properties": { "p": { "type": "object", "allOf": [
        { "$ref": "#/$defs/s" },
        { "type": "object", "properties": { "b": { "type": ["boolean", "null"] } } },
    ] } }, "required": ["p"], "$defs": { "s": shared } });
    let Converted { schema, losses } = convert(&internal(schema), Form::OpenAiStrict);
    let properties = &schema["properties"]["p"]["properties"];
    assert_eq!(properties["a"], json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }, { "type": "null" }] }));
    assert_eq!(properties["b"], json!({ "type": ["boolean", "null"] }));
    // The pattern makes a map of it.
    assert!(losses.iter().any(|loss| loss.path == "/properties/p" && loss.weight == Weight::Inexpressible));
}

#[test]
fn a_choice_that_contains_itself_is_refused() {
    let schema = json!({ "type": "object", "properties": { "p": { "$ref": "#/$defs/s" } }, "$defs": { "s": {
        "type": "object", "properties": { "a": { "type": "string" } }, "anyOf": [{ "$ref": "#/$defs/s" }, { "$ref": "#/$defs/s" }] } } });
    assert!(!convert(&internal(schema), Form::OpenAiStrict).is_faithful());
}

/// Schemas as people and generators write them, and keywords with values that make no sense.
fn any_schema() -> impl Strategy<Value = Value> {
    let kind = prop_oneof![
        Just(json!("string")),
        Just(json!("object")),
        Just(json!("array")),
        Just(json!(["integer", "null"])),
        Just(json!(["string", "object", "null"])),
        Just(json!("null")),
        Just(json!(7)),
    ];
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({ "type": "null" })),
        Just(json!({ "$ref": "#/$defs/d" })),
        Just(json!({ "$ref": "#" , "description": "d" })),
        Just(json!({ "const": 1 })),
        Just(json!({ "enum": ["a", null, {}] })),
        Just(json!({ "type": "string", "const": "k" })),
        Just(json!({ "not": { "const": 1 } })),
        Just(json!({ "minimum": 3, "required": 5, "enum": "x", "properties": 1, "anyOf": {} })),
        kind.clone().prop_map(|kind| json!({ "type": kind, "minLength": 1, "format": "uint8" })),
    ];
    leaf.prop_recursive(4, 40, 4, move |inner| {
        let many = proptest::collection::vec(inner.clone(), 0..4);
        let named = proptest::collection::btree_map("[ab$]", inner.clone(), 0..3);
        let required = proptest::collection::vec("[ab$]", 0..3);
        let list = prop_oneof![Just("anyOf"), Just("oneOf"), Just("allOf"), Just("prefixItems"), Just("items")];
        let single = prop_oneof![Just("items"), Just("additionalProperties"), Just("not")];
        prop_oneof![
            (list, many.clone(), kind.clone()).prop_map(|(key, many, kind)| json!({ key: many, "type": kind })),
            (single, inner).prop_map(|(key, inner)| json!({ key: inner })),
            (named.clone(), required, many).prop_map(
                |(named, required, many)| json!({ "properties": named, "required": required, "anyOf": many })
            ),
            named.prop_map(|named| json!({ "type": "object", "patternProperties": named })),
        ]
    })
}

fn has_choice_at_root(schema: &Value) -> bool {
    ["oneOf", "anyOf", "allOf", "$ref"].iter().any(|key| schema.get(*key).is_some())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_schema_comes_to_an_end_and_keeps_its_promises(root in any_schema(), other in any_schema()) {
        let Value::Object(mut root) = root else { return Ok(()) };
        root.insert("type".into(), "object".into());
        root.insert("$defs".into(), json!({ "d": other }));
        let Ok(schema) = schema::normalise(root.into()) else { return Ok(()) };
        for form in [Form::Open, Form::OpenAnthropic, Form::OpenAiStrict, Form::AnthropicStrict] {
            let converted = convert(&schema, form);
            prop_assert_eq!(&converted.schema["type"], "object");
            prop_assert!(!has_choice_at_root(&converted.schema), "{}", converted.schema);
            if converted.is_faithful() && matches!(form, Form::OpenAiStrict | Form::AnthropicStrict) {
                assert_closed(&converted.schema, form, "any");
            }
        }
    }
}
