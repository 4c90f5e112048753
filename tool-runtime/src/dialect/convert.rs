//! From the internal schema to the plain form that every provider takes: no `null` types (an optional parameter is
//! absent from `required` instead), no `oneOf`, enums as lists, no number formats of Rust's.

use serde_json::{Map, Value};

pub(super) fn plain(schema: &Value) -> Value {
    let Value::Object(object) = schema else { return schema.clone() };
    let mut object = object.clone();
    descend(&mut object);
    drop_null(&mut object);
    merge_documented_enum(&mut object);
    drop_rust_formats(&mut object);
    patterns_to_additional(&mut object);
    if let Some(branches) = object.remove("oneOf") {
        object.insert("anyOf".into(), branches);
    }
    if object.get("type").is_some_and(|kind| kind == "object") && !object.contains_key("properties") {
        object.insert("properties".into(), Map::new().into());
    }
    object.into()
}

/// Converts the schemas inside first, so that each rule sees plain parts.
fn descend(object: &mut Map<String, Value>) {
    for (key, value) in object.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "patternProperties" | "$defs", Value::Object(named)) => {
                for schema in named.values_mut() {
                    *schema = plain(schema);
                }
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
                for schema in schemas {
                    // A branch that only says `null` is looked for by the parent.
                    if !is_null(schema) {
                        *schema = plain(schema);
                    }
                }
            }
            ("items" | "additionalProperties" | "contains" | "not", schema) => *schema = plain(schema),
            _ => {}
        }
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

/// `["integer", "null"]` → `integer`, `anyOf [T, null]` → `T`, a `null` among enum values or as default → gone.
fn drop_null(object: &mut Map<String, Value>) {
    if let Some(Value::Array(kinds)) = object.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    for key in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = object.get_mut(key) else { continue };
        let before = branches.len();
        branches.retain(|branch| !is_null(branch));
        if branches.len() < before && branches.len() == 1 {
            if let Some(Value::Object(only)) = branches.pop() {
                object.remove(key);
                // What stands beside the union belongs to the parameter, so it wins over the type's own words.
                for (name, value) in only {
                    object.entry(name).or_insert(value);
                }
            }
        }
    }
}

/// schemars writes an enum with documented variants as `oneOf` constants: → `enum`, the documents as lines of the
/// description.
fn merge_documented_enum(object: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = object.get("oneOf") else { return };
    let mut names = Vec::new();
    let mut lines: Vec<String> =
        object.get("description").and_then(Value::as_str).map(str::to_owned).into_iter().collect();
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
        names.extend(values.iter().cloned());
    }
    object.remove("oneOf");
    object.insert("type".into(), "string".into());
    object.insert("enum".into(), names.into());
    if !lines.is_empty() {
        object.insert("description".into(), lines.join("\n").into());
    }
}

/// schemars' `uint32`, `double` and the like are known to no provider.
fn drop_rust_formats(object: &mut Map<String, Value>) {
    let is_rust = object.get("format").and_then(Value::as_str).is_some_and(|format| {
        let digits = format.trim_start_matches("uint").trim_start_matches("int");
        matches!(format, "double" | "float" | "int" | "uint" | "char")
            || (digits.len() < format.len() && digits.bytes().all(|byte| byte.is_ascii_digit()))
    });
    if is_rust {
        object.remove("format");
    }
}

/// A map with one pattern for its keys → `additionalProperties`, the pattern in words.
fn patterns_to_additional(object: &mut Map<String, Value>) {
    let Some(Value::Object(patterns)) = object.get("patternProperties") else { return };
    if patterns.len() != 1 {
        return;
    }
    let Some((pattern, schema)) = patterns.iter().next().map(|(key, value)| (key.clone(), value.clone())) else {
        return;
    };
    object.remove("patternProperties");
    object.insert("additionalProperties".into(), schema);
    let said = format!("Keys must match {pattern}.");
    let description = match object.get("description").and_then(Value::as_str) {
        Some(text) => format!("{text} {said}"),
        None => said,
    };
    object.insert("description".into(), description.into());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::plain;

    #[test]
    fn an_optional_parameter_has_its_plain_type() {
        assert_eq!(
            plain(&json!({ "type": ["integer", "null"], "format": "uint32", "minimum": 0 })),
            json!({ "type": "integer", "minimum": 0 })
        );
        let nested = json!({ "description": "where", "anyOf": [{ "type": "object", "properties": {}, "description": "Place" }, { "type": "null" }], "default": null });
        assert_eq!(plain(&nested), json!({ "description": "where", "type": "object", "properties": {} }));
    }

    #[test]
    fn a_documented_enum_is_a_list() {
        let documented = json!({ "description": "Unit", "oneOf": [
            { "type": "string", "const": "Celsius", "description": "Metric" },
            { "type": "string", "enum": ["Kelvin", "Rankine"] },
        ]});
        assert_eq!(
            plain(&documented),
            json!({ "description": "Unit\n- Celsius: Metric", "type": "string", "enum": ["Celsius", "Kelvin", "Rankine"] })
        );
    }

    #[test]
    fn a_tagged_enum_is_any_of() {
        let tagged = json!({ "oneOf": [{ "type": "object", "properties": { "kind": { "const": "A" } } }, { "type": "object", "properties": { "x": { "type": "number", "format": "double" } } }] });
        assert_eq!(
            plain(&tagged),
            json!({ "anyOf": [{ "type": "object", "properties": { "kind": { "const": "A" } } }, { "type": "object", "properties": { "x": { "type": "number" } } }] })
        );
    }

    #[test]
    fn formats_that_providers_know_stay() {
        for format in ["date-time", "uri", "email", "uuid", "ipv4"] {
            let schema = json!({ "type": "string", "format": format });
            assert_eq!(plain(&schema), schema);
        }
    }

    #[test]
    fn integer_keys_are_told_in_words() {
        let map = json!({ "type": "object", "additionalProperties": false, "patternProperties": { "^\\d+$": { "type": "string" } } });
        assert_eq!(
            plain(&map),
            json!({ "type": "object", "additionalProperties": { "type": "string" }, "description": "Keys must match ^\\d+$.", "properties": {} })
        );
    }
}
