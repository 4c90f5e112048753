//! What people reported of other attributes that make tools; each test has the number of its report.
#![allow(missing_docs, clippy::unwrap_used, clippy::needless_pass_by_value)]
#![deny(private_interfaces, private_bounds, unused)]

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_runtime::{Dialect, LintLevel, Registry, Status, ToolCall, tool, tools};

fn registry(tools: impl IntoIterator<Item = tool_runtime::RegisteredTool>) -> Registry {
    Registry::builder().tools(tools).without_store().build().unwrap()
}

/// Describes tables.
#[tool]
fn describe(tables: Option<Vec<String>>, limit: Option<u32>, tag: Option<String>) -> String {
    format!("{tables:?} {limit:?} {tag:?}")
}

#[test]
fn s04_an_optional_parameter_has_one_type_and_is_not_required() {
    let registry = registry(tools![describe]);
    for (dialect, schema) in [
        (Dialect::OpenAiChat, "/function/parameters"),
        (Dialect::Anthropic, "/input_schema"),
        (Dialect::Gemini, "/functionDeclarations/0/parametersJsonSchema"),
    ] {
        let definition = &registry.definitions(dialect)[0];
        let schema = definition.pointer(schema).unwrap();
        assert!(schema.get("required").is_none(), "{schema}");
        assert_eq!(schema["properties"]["tables"], json!({ "type": "array", "items": { "type": "string" } }));
        assert_eq!(schema["properties"]["limit"]["type"], "integer");
        assert_eq!(schema["properties"]["tag"], json!({ "type": "string" }));
    }
    for arguments in ["{}", r#"{"tables":null}"#] {
        let outcome = registry.call_blocking(ToolCall::new("1", "describe", arguments));
        assert_eq!(outcome.model_text(), "None None None", "{arguments}");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
enum Tier {
    /// short lived
    Hot,
    /// archived
    Cold,
}

/// Moves a page.
#[tool(strict)]
fn move_page(
    /// where it goes
    tier: Tier,
    id: String,
) -> String {
    format!("{tier:?} {id}")
}

fn each_object(schema: &Value, look: &mut dyn FnMut(&serde_json::Map<String, Value>)) {
    match schema {
        Value::Object(object) => {
            look(object);
            object.values().for_each(|inner| each_object(inner, look));
        }
        Value::Array(items) => items.iter().for_each(|inner| each_object(inner, look)),
        _ => {}
    }
}

#[test]
fn s05_a_documented_enum_keeps_to_strict_rules() {
    let registry = registry(tools![move_page]);
    let definition = &registry.definitions(Dialect::OpenAiChat)[0]["function"];
    assert_eq!(definition["strict"], true);
    let schema = &definition["parameters"];
    each_object(schema, &mut |object| {
        assert!(!object.contains_key("oneOf"), "{schema}");
        assert!(!object.contains_key("$ref") || object.len() == 1, "{schema}");
        if object.get("type") == Some(&json!("object")) {
            assert_eq!(object["additionalProperties"], false);
            let names: Vec<&String> = object["properties"].as_object().unwrap().keys().collect();
            assert_eq!(json!(names), object["required"]);
        }
    });
    assert_eq!(schema["properties"]["tier"]["enum"], json!(["Hot", "Cold"]));
    let outcome = registry.call_blocking(ToolCall::new("1", "move_page", r#"{"tier":"Cold","id":"a"}"#));
    assert_eq!(outcome.model_text(), "Cold a");
}

pub mod shown {
    use tool_runtime::tool;

    /// Adds.
    #[tool(handle = Add)]
    pub fn add(a: i64, b: i64) -> i64 {
        a + b
    }

    pub(crate) mod inner {
        /// Subtracts.
        #[tool_runtime::tool(handle = Subtract)]
        pub(crate) fn subtract(a: i64, b: i64) -> i64 {
            a - b
        }
    }
}

#[test]
fn m01_what_the_macro_makes_is_as_visible_as_the_function() {
    assert_eq!(shown::add(2, 3), 5);
    let registry = Registry::builder().tool(shown::Add).tool(shown::inner::Subtract).without_store().build().unwrap();
    assert_eq!(registry.tool_names().collect::<Vec<_>>(), ["add", "subtract"]);
}

mod gated {
    use tool_runtime::tool;

    #[cfg(any())]
    #[tool]
    pub fn off_above(missing: NoSuchType) {}

    #[tool]
    #[cfg(any())]
    pub fn off_below(missing: NoSuchType) {}

    #[cfg(all())]
    #[tool]
    pub fn on_above() {}

    #[tool]
    #[cfg(all())]
    pub fn on_below() {}
}

#[test]
fn m03_a_gated_tool_is_there_or_not_in_either_order() {
    let registry = registry(tools![gated::on_above, gated::on_below]);
    assert_eq!(registry.tool_names().collect::<Vec<_>>(), ["on_above", "on_below"]);
    let linked = Registry::builder().linked().without_store().build();
    let linked = linked.map(|registry| registry.tool_names().any(|name| name.starts_with("off_")));
    assert!(!linked.unwrap());
}

/// Reads.
#[tool]
fn read() {}

/// Deletes.
#[tool]
fn delete() -> String {
    unreachable!("left out")
}

#[test]
fn m06_a_tool_that_was_left_out_is_in_no_list_and_not_run() {
    let registry = registry(tools![read, delete]).without("delete");
    assert_eq!(registry.tool_names().collect::<Vec<_>>(), ["read"]);
    for dialect in [Dialect::OpenAiChat, Dialect::Anthropic, Dialect::Gemini, Dialect::Mcp] {
        assert!(!registry.definitions_json(dialect).contains("delete"));
    }
    let call = || ToolCall::new("1", "delete", "{}");
    assert_eq!(registry.call_blocking(call()).status(), Status::UnknownTool);
    assert_eq!(registry.session().call_blocking(call()).status(), Status::UnknownTool);
    assert!(registry.check(&call()).is_err());
}

#[derive(Deserialize, JsonSchema)]
struct Tree {
    kids: Vec<Tree>,
}

#[derive(Deserialize, JsonSchema)]
struct Grove {
    trees: Vec<Tree>,
}

/// Counts.
#[tool]
fn count(a: Tree, b: Vec<Grove>) -> usize {
    a.kids.len() + b.iter().map(|grove| grove.trees.len()).sum::<usize>()
}

#[test]
fn mac_01_one_generator_makes_the_schema_of_all_parameters() {
    let registry = registry(tools![count]);
    let schema = &registry.definitions(Dialect::Mcp)[0]["inputSchema"];
    let mut references = 0;
    each_object(schema, &mut |object| {
        if let Some(Value::String(reference)) = object.get("$ref") {
            references += 1;
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(pointer.starts_with("/$defs/") && schema.pointer(pointer).is_some(), "{reference}: {schema}");
        }
    });
    assert!(references > 0, "{schema}");
    let inside = &schema["properties"];
    each_object(inside, &mut |object| assert!(!object.contains_key("$defs"), "{schema}"));
}

/// Filters.
#[tool]
fn filter(r#type: String) -> String {
    r#type
}

#[test]
fn mac_03_a_raw_name_is_plain_to_the_model() {
    let registry = registry(tools![filter]);
    assert_eq!(registry.definitions(Dialect::Mcp)[0]["inputSchema"]["required"], json!(["type"]));
    assert_eq!(registry.call_blocking(ToolCall::new("1", "filter", r#"{"type":"a"}"#)).model_text(), "a");
}

/// Add.
///
/// # Arguments
/// * `a` - first number
#[tool]
fn increment(a: u32) -> u32 {
    a + 1
}

#[test]
fn mac_05_bullets_describe_parameters() {
    let registry = registry(tools![increment]);
    let definition = &registry.definitions(Dialect::Mcp)[0];
    assert_eq!(definition["description"], "Add.");
    assert_eq!(definition["inputSchema"]["properties"]["a"]["description"], "first number");
}

#[test]
fn a_tool_without_a_description_is_named_by_lint() {
    let registry = registry(tools![gated::on_above, read]);
    for dialect in [Dialect::OpenAiChat, Dialect::Anthropic, Dialect::Gemini, Dialect::Mcp] {
        let lints = registry.lint(dialect);
        let [lint] = lints.as_slice() else { unreachable!("{lints:?}") };
        assert_eq!((lint.tool.as_str(), lint.path.as_str(), lint.level), ("on_above", "", LintLevel::Note));
        assert!(lint.lost.contains("write a doc comment"), "{lint}");
    }
}
