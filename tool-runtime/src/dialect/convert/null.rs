//! `null`: where a schema allows it, and the ways to say so.

use serde_json::{Map, Value, json};

use super::words::is_annotation;

/// Takes `null` out of a schema that allows something else too; whether it was there.
pub(super) fn take(node: &mut Map<String, Value>) -> bool {
    let mut found = false;
    if let Some(Value::Array(kinds)) = node.get_mut("type") {
        found |= take_from(kinds, |kind| kind == "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            node.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = node.get_mut("enum") {
        found |= take_from(values, Value::is_null);
    }
    if node.get("default").is_some_and(Value::is_null) {
        node.shift_remove("default");
    }
    for key in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = node.get_mut(key) else { continue };
        if !take_from(branches, |branch| branch.get("type").is_some_and(|kind| kind == "null")) {
            continue;
        }
        found = true;
        if hoist_only(node, key) {
            take(node);
        }
    }
    found
}

fn take_from(values: &mut Vec<Value>, is_null: impl Fn(&Value) -> bool) -> bool {
    let before = values.len();
    if values.iter().all(&is_null) {
        return false;
    }
    values.retain(|value| !is_null(value));
    values.len() < before
}

/// Puts the only branch of a union in its place. What stands beside the union belongs to the parameter, so it wins
/// over the type's own words.
pub(super) fn hoist_only(node: &mut Map<String, Value>, key: &str) -> bool {
    let Some([Value::Object(only)]) = node.get(key).and_then(Value::as_array).map(Vec::as_slice) else { return false };
    // Two things to say about values stay two.
    let conflicts =
        |(name, value): (&String, &Value)| !is_annotation(name) && node.get(name).is_some_and(|own| own != value);
    if only.iter().any(conflicts) {
        return false;
    }
    let Some(Value::Array(mut branches)) = node.shift_remove(key) else { return false };
    if let Some(Value::Object(only)) = branches.pop() {
        for (name, value) in only {
            node.entry(name).or_insert(value);
        }
    }
    true
}

/// Allows `null` too.
pub(super) fn add(mut node: Map<String, Value>) -> Map<String, Value> {
    let is_listed = node.contains_key("enum") || node.contains_key("const");
    match node.get("type").and_then(Value::as_str) {
        Some("null") => return node,
        Some(kind) if kind != "object" && !is_listed => {
            let kinds = json!([kind, "null"]);
            node.insert("type".into(), kinds);
            return node;
        }
        _ => {}
    }
    if let (None, Some(Value::Array(branches))) = (node.get("type").cloned(), node.get_mut("anyOf")) {
        branches.push(json!({ "type": "null" }));
        return node;
    }
    if super::strict::is_any(&node) {
        return node;
    }
    Map::from_iter([("anyOf".to_owned(), json!([node, { "type": "null" }]))])
}
