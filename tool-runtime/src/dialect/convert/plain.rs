//! The rules for every provider, one keyword each.

use serde_json::{Map, Value, json};

use super::{Walk, Weight, null, words};

/// schemars writes an enum with documented variants as `oneOf` constants: → `enum`, the documents as lines of the
/// description.
pub(super) fn merge_documented_enum(node: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = node.get("oneOf") else { return };
    let mut names = Vec::new();
    let mut is_shuffled = false;
    let mut lines: Vec<String> =
        node.get("description").and_then(Value::as_str).map(str::to_owned).into_iter().collect();
    for branch in branches {
        if branch.get("type").is_none_or(|kind| kind != "string") {
            return;
        }
        let values = match (branch.get("const"), branch.get("enum").and_then(Value::as_array)) {
            (Some(name), _) => std::slice::from_ref(name),
            (None, Some(names)) => names.as_slice(),
            (None, None) => return,
        };
        if let (Some(doc), [Value::String(name)]) = (branch.get("description").and_then(Value::as_str), values) {
            lines.push(format!("- {name}: {doc}"));
        }
        is_shuffled |= values.len() > 1;
        names.extend(values.iter().cloned());
    }
    if is_shuffled && branches.len() > 1 {
        // Those without a document come together, so the order of the declaration is lost; any order but that of
        // the names would look like one.
        names.sort_by(|one: &Value, other| one.as_str().cmp(&other.as_str()));
    }
    node.shift_remove("oneOf");
    node.insert("type".into(), "string".into());
    node.insert("enum".into(), names.into());
    if !lines.is_empty() {
        node.insert("description".into(), lines.join("\n").into());
    }
}

/// schemars' `uint32`, `double` and the like are known to no provider.
pub(super) fn drop_rust_formats(node: &mut Map<String, Value>) {
    let is_rust = node.get("format").and_then(Value::as_str).is_some_and(|format| {
        let digits = format.trim_start_matches("uint").trim_start_matches("int");
        matches!(format, "double" | "float" | "int" | "uint" | "char")
            || (digits.len() < format.len() && digits.bytes().all(|byte| byte.is_ascii_digit()))
    });
    if is_rust {
        node.shift_remove("format");
    }
}

/// `type: [a, b]` → `anyOf`, each with the keywords that concern it. Some providers refuse a list of types.
pub(super) fn split_types(node: &mut Map<String, Value>) {
    if node.contains_key("anyOf") || node.contains_key("oneOf") {
        return;
    }
    let Some(Value::Array(kinds)) = node.get("type") else { return };
    let branches: Vec<Value> = kinds.iter().filter_map(Value::as_str).map(|kind| of_type(node, kind)).collect();
    node.retain(|key, _| words::is_annotation(key));
    node.insert("anyOf".into(), branches.into());
}

fn of_type(node: &Map<String, Value>, kind: &str) -> Value {
    let mut branch = Map::from_iter([("type".to_owned(), kind.into())]);
    for (key, value) in node.iter().filter(|(key, _)| *key != "type" && !words::is_annotation(key)) {
        let concerned: &[&str] = match key.as_str() {
            "minLength" | "maxLength" | "pattern" | "format" | "contentEncoding" | "contentMediaType" => &["string"],
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => &["number", "integer"],
            "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" | "contains" => &["array"],
            "properties"
            | "required"
            | "additionalProperties"
            | "patternProperties"
            | "propertyNames"
            | "minProperties"
            | "maxProperties" => &["object"],
            _ => &[],
        };
        let value = match (key.as_str(), value) {
            ("enum", Value::Array(values)) => {
                let fitting: Vec<Value> = values.iter().filter(|value| is_of(value, kind)).cloned().collect();
                if fitting.is_empty() {
                    continue;
                }
                fitting.into()
            }
            ("const", value) if !is_of(value, kind) => continue,
            _ if !concerned.is_empty() && !concerned.contains(&kind) => continue,
            _ => value.clone(),
        };
        branch.insert(key.clone(), value);
    }
    branch.into()
}

fn is_of(value: &Value, kind: &str) -> bool {
    match value {
        Value::Null => kind == "null",
        Value::Bool(_) => kind == "boolean",
        Value::Number(number) => kind == "number" || (kind == "integer" && !number.is_f64()),
        Value::String(_) => kind == "string",
        Value::Array(_) => kind == "array",
        Value::Object(_) => kind == "object",
    }
}

/// A tuple → a list of anything that is in it, the order in words.
pub(super) fn tuple_to_list(node: &mut Map<String, Value>, walk: &mut Walk<'_>) {
    // Before 2020-12 `items` held the list.
    let key = if node.get("items").is_some_and(Value::is_array) { "items" } else { "prefixItems" };
    let Some(Value::Array(mut places)) = node.shift_remove(key) else { return };
    let kinds = places.iter().map(words::kinds).collect::<Vec<_>>().join(", ");
    let count = places.len();
    if count == 0 {
        return;
    }
    let rest = node.shift_remove("items").filter(|rest| *rest != json!(false) && !super::is_never(rest));
    let bound = |key: &str| node.get(key).and_then(Value::as_u64);
    let is_exact =
        bound("minItems") == Some(count as u64) && (bound("maxItems") == Some(count as u64) || rest.is_none());
    let items = if count == 1 { "item" } else { "items" };
    let said = if is_exact {
        node.insert("maxItems".into(), count.into());
        format!("Exactly {count} {items}, in order: {kinds}.")
    } else {
        format!("The first {count} {items}, in order: {kinds}.")
    };
    if !is_exact {
        places.extend(rest);
    }
    node.insert("items".into(), any_of(places));
    walk.reword(node, &said);
}

/// Any of these; the schema itself where there is only one.
pub(super) fn any_of(schemas: Vec<Value>) -> Value {
    let mut different: Vec<Value> = Vec::with_capacity(schemas.len());
    for schema in schemas {
        if !different.contains(&schema) {
            different.push(schema);
        }
    }
    match different.as_mut_slice() {
        [only] => only.take(),
        _ => json!({ "anyOf": different }),
    }
}

/// A map with patterns for its keys → `additionalProperties`, the patterns in words.
pub(super) fn patterns_to_map(node: &mut Map<String, Value>, walk: &mut Walk<'_>) {
    if node.get("additionalProperties").is_some_and(|others| *others != json!(false)) {
        return;
    }
    let Some(Value::Object(patterns)) = node.shift_remove("patternProperties") else { return };
    if patterns.is_empty() {
        return;
    }
    let names: Vec<&str> = patterns.keys().map(String::as_str).collect();
    let said = format!("Keys must match {}.", names.join(" or "));
    node.insert("additionalProperties".into(), any_of(patterns.values().cloned().collect()));
    walk.reword(node, &said);
}

/// Providers know `anyOf`; which of several branches fits is no question where they are told apart.
pub(super) fn rename_one_of(node: &mut Map<String, Value>) {
    if node.contains_key("anyOf") {
        return;
    }
    if let Some(branches) = node.shift_remove("oneOf") {
        node.insert("anyOf".into(), branches);
    }
}

/// What some providers insist on: an object says so and has properties, a list has items.
pub(super) fn complete(node: &mut Map<String, Value>) {
    // Left out by hand.
    if !node.contains_key("type") && !node.contains_key("anyOf") && node.get("properties").is_some_and(Value::is_object)
    {
        node.insert("type".into(), "object".into());
    }
    match node.get("type").and_then(Value::as_str) {
        Some("object") if !node.contains_key("properties") => {
            node.insert("properties".into(), Map::new().into());
        }
        Some("array") if !node.contains_key("items") => {
            node.insert("items".into(), Map::new().into());
        }
        _ => {}
    }
}

/// Branches that differed only in what no provider knows.
pub(super) fn merge_equal_branches(node: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = node.get_mut("anyOf") else { return };
    let before = branches.len();
    let merged = any_of(std::mem::take(branches));
    match merged {
        Value::Object(mut union) if before > 1 && union.len() == 1 && union.contains_key("anyOf") => {
            if let Some(branches) = union.shift_remove("anyOf") {
                node.insert("anyOf".into(), branches);
            }
        }
        only => {
            node.insert("anyOf".into(), json!([only]));
            // A `$ref` has to stand alone, and so it does in its branch.
            let is_reference = node.get("anyOf").is_some_and(|branches| branches[0].get("$ref").is_some());
            if !is_reference || node.len() == 1 {
                null::hoist_only(node, "anyOf");
            }
        }
    }
}

/// Anthropic's names of parameters, at the root only: one other name, and the whole request is refused. Such a
/// parameter is told in words; the model can still give it.
pub(super) fn name_properties(root: &mut Map<String, Value>, walk: &mut Walk<'_>) {
    let required: Vec<String> = words::strings(root.get("required")).map(str::to_owned).collect();
    let Some(Value::Object(properties)) = root.get_mut("properties") else { return };
    let mut foreign = Vec::new();
    properties.retain(|name, schema| {
        let is_allowed = (1..=64).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'));
        if !is_allowed {
            foreign.push((name.clone(), schema.take()));
        }
        is_allowed
    });
    for (name, schema) in foreign {
        if let Some(Value::Array(required)) = root.get_mut("required") {
            required.retain(|known| *known != name);
        }
        let presence = if required.contains(&name) { "required" } else { "optional" };
        words::say(root, &format!("Also takes `{name}` ({presence}): {schema}"));
        walk.under(&["properties", &name], |walk| {
            let what = format!("property name '{name}' does not match ^[a-zA-Z0-9_.-]{{1,64}}$");
            walk.lose(what, Weight::Inexpressible);
        });
    }
    if root.get("required").is_some_and(|required| required.as_array().is_some_and(Vec::is_empty)) {
        root.shift_remove("required");
    }
}
