//! What `schemars` itself makes of types, row by row in `cases/schemars.json`: the conversion to each dialect starts
//! from these forms, so where a new version writes another one, this says so first. And what a tool makes of them.
#![allow(clippy::unwrap_used, clippy::panic, dead_code)]

use std::collections::{BTreeMap, HashMap};

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Deserialize;
use serde_json::{Map, Number, Value};
use tool_runtime::{Dialect, Registry, tool, tools};

#[derive(Deserialize, JsonSchema)]
struct EmptyStruct {}

#[derive(Deserialize, JsonSchema)]
struct Vals {
    v: Value,
    m: Map<String, Value>,
    n: Number,
    o: Option<Value>,
    l: Vec<Value>,
}

/// Nested doc
#[derive(Deserialize, JsonSchema)]
struct Nested {
    /// the x field
    x: i32,
    y: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Generic<T> {
    v: T,
    w: Vec<T>,
}

#[derive(Deserialize, JsonSchema)]
struct TwoGen {
    a: Generic<u8>,
    b: Generic<Nested>,
}

mod m1 {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    pub(crate) struct Dup {
        a: u8,
    }
}

mod m2 {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    pub(crate) struct Dup {
        b: u8,
    }
}

#[derive(Deserialize, JsonSchema)]
struct DupUser {
    x: m1::Dup,
    y: m2::Dup,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Int {
    A,
    B(Nested),
    C { x: String },
}

#[derive(Deserialize, JsonSchema)]
struct FlatEnum {
    q: String,
    #[serde(flatten)]
    p: Int,
}

#[derive(PartialEq, Eq, Hash, Deserialize, JsonSchema)]
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

#[derive(Deserialize, JsonSchema)]
enum Never {}

fn of<T: JsonSchema>() -> Value {
    let mut schema: Value = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().into();
    schema.as_object_mut().unwrap().remove("$schema");
    schema
}

#[test]
fn every_row_of_the_baseline() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("../cases/schemars.json")).unwrap();
    for row in &rows {
        let id = row["id"].as_str().unwrap();
        let schema = match id {
            "base-01" => of::<u64>(),
            "base-02" => of::<Option<u32>>(),
            "base-05" => of::<EmptyStruct>(),
            "base-06" => of::<Vals>(),
            "base-08" => of::<(i32, String)>(),
            "base-09" => of::<TwoGen>(),
            "base-10" => of::<DupUser>(),
            "base-11" => of::<FlatEnum>(),
            "base-12" => of::<NonStrKey>(),
            "base-13" => of::<Never>(),
            _ => panic!("{id} has no type"),
        };
        assert_eq!(schema, row["expect"]["schema"], "{id}");
    }
    assert_eq!(rows.len(), 10);
}

/// Takes one of each.
#[tool]
fn each(
    base_01: u64,
    base_02: Option<u32>,
    base_05: EmptyStruct,
    base_06: Vals,
    base_08: (i32, String),
    base_09: TwoGen,
    base_10: DupUser,
    base_11: FlatEnum,
    base_12: NonStrKey,
    base_13: Option<Never>,
) {
    let _ = (base_01, base_02, base_05, base_06, base_08, base_09, base_10, base_11, base_12, base_13);
}

/// Every schema that stands anywhere in this one.
fn schemas<'v>(schema: &'v Value, found: &mut Vec<&'v Value>) {
    found.push(schema);
    for (key, inner) in schema.as_object().into_iter().flatten() {
        match (key.as_str(), inner) {
            ("properties" | "patternProperties" | "$defs", Value::Object(inner)) => {
                inner.values().for_each(|inner| schemas(inner, found));
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(inner)) => {
                inner.iter().for_each(|inner| schemas(inner, found));
            }
            ("items" | "additionalProperties" | "not", inner) => schemas(inner, found),
            _ => {}
        }
    }
}

#[test]
fn no_dialect_is_told_what_schemars_alone_would_say() {
    let registry = Registry::builder().tools(tools![each]).without_store().build().unwrap();
    for (dialect, path) in [
        (Dialect::OpenAiChat, "/0/function/parameters"),
        (Dialect::Anthropic, "/0/input_schema"),
        (Dialect::Gemini, "/0/functionDeclarations/0/parametersJsonSchema"),
        (Dialect::Mcp, "/0/inputSchema"),
    ] {
        let definitions = Value::from(registry.definitions(dialect));
        let schema = definitions.pointer(path).unwrap();
        let properties = &schema["properties"];
        // `base-01`: no format that no provider knows; the bound stays.
        assert_eq!(properties["base_01"]["type"], "integer", "{dialect:?}");
        assert_eq!(properties["base_01"]["minimum"], 0, "{dialect:?}");
        // `base-02`: a plain type that is not required.
        assert_eq!(properties["base_02"]["type"], "integer", "{dialect:?}");
        let required = schema["required"].as_array().unwrap();
        assert!(!required.contains(&"base_02".into()) && !required.contains(&"base_13".into()), "{dialect:?}");
        // `base-05`: an object has properties, though none.
        assert_eq!(properties["base_05"]["properties"], serde_json::json!({}), "{dialect:?}");
        let mut all = Vec::new();
        schemas(schema, &mut all);
        for one in all {
            assert!(one.get("title").is_none(), "{dialect:?}: {one}");
            assert!(one["format"].as_str().is_none_or(|format| !format.starts_with("uint")), "{dialect:?}: {one}");
            // `base-09`, `base-10`: inlined.
            assert!(one.get("$ref").is_none() && one.get("$defs").is_none(), "{dialect:?}: {one}");
        }
        // `base-06`: any value is a schema that is an object.
        for free in ["v", "o"] {
            assert!(properties["base_06"]["properties"][free].is_object(), "{dialect:?}");
        }
        assert_eq!(properties["base_10"]["properties"]["y"]["required"], serde_json::json!(["b"]), "{dialect:?}");
    }
}
