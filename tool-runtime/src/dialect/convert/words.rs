//! What a schema says in its description.

use serde_json::{Map, Value};

/// Whether a keyword says nothing about values.
pub(super) fn is_annotation(key: &str) -> bool {
    matches!(key, "description" | "title" | "default" | "examples" | "deprecated" | "$defs" | "definitions")
}

/// Adds a sentence to the description.
pub(super) fn say(node: &mut Map<String, Value>, said: &str) {
    let description = match node.get("description").and_then(Value::as_str) {
        Some(text) if !text.is_empty() => format!("{text} {said}"),
        _ => said.to_owned(),
    };
    node.insert("description".into(), description.into());
}

/// A keyword as words.
pub(super) fn keyword(key: &str, value: &Value) -> String {
    match (key, value, value.get("const")) {
        ("not", Value::Object(not), Some(value)) if not.len() == 1 => format!("Must not be {value}."),
        (_, Value::String(text), _) if !text.is_empty() => format!("({key}: {text})"),
        _ => format!("({key}: {value})"),
    }
}

/// The types that a schema allows, in JSON Schema's words.
pub(super) fn kinds(schema: &Value) -> String {
    let branches = || ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)?.as_array());
    match (schema.get("type"), branches()) {
        (Some(Value::String(kind)), _) => kind.clone(),
        (Some(Value::Array(kinds)), _) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        (_, Some(branches)) => {
            let mut kinds: Vec<String> = branches.iter().map(kinds).collect();
            kinds.dedup();
            kinds.join(" or ")
        }
        _ if schema.get("$ref").is_some() => "object".to_owned(),
        _ => "any value".to_owned(),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The strings of an array.
pub(super) fn strings(value: Option<&Value>) -> impl Iterator<Item = &str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
