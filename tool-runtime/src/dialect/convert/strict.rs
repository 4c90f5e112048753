//! What a strict schema may say. A provider's grammar is a table; what is not in it is said in words, and what can't
//! be said so rules strictness out.

use serde_json::{Map, Value, json};

use super::{Walk, Weight, words};

/// What one provider's strict mode takes.
#[derive(Debug)]
pub(super) struct Grammar {
    keywords: &'static [&'static str],
    formats: &'static [&'static str],
    /// Every property is in `required`; an optional one is nullable.
    pub(super) requires_all: bool,
    pub(super) recursive: bool,
    /// `minItems` beyond this is not taken.
    max_min_items: u64,
    /// Objects in one union have to differ by their first property.
    reads_first_key: bool,
}

pub(super) const OPEN_AI: Grammar = Grammar {
    keywords: &[
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "const",
        "anyOf",
        "$ref",
        "$defs",
        "definitions",
        "description",
        "title",
        "pattern",
        "format",
        "multipleOf",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minItems",
        "maxItems",
    ],
    formats: &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
    requires_all: true,
    recursive: true,
    max_min_items: u64::MAX,
    reads_first_key: true,
};

pub(super) const ANTHROPIC: Grammar = Grammar {
    keywords: &[
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "const",
        "anyOf",
        "$ref",
        "$defs",
        "definitions",
        "description",
        "title",
        "default",
        "pattern",
        "format",
        "minItems",
    ],
    formats: &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
    requires_all: false,
    recursive: false,
    max_min_items: 1,
    reads_first_key: false,
};

/// The order in which keywords are said; others follow in the order of the schema.
const ORDER: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "maxItems",
    "minItems",
    "uniqueItems",
];

/// Keywords that say nothing, what closing an object says already, and those that rule strictness out: as words they
/// would grow with every level.
const SILENT: &[&str] = &[
    "$schema",
    "$id",
    "$anchor",
    "$comment",
    "unevaluatedProperties",
    "allOf",
    "oneOf",
    "patternProperties",
    "prefixItems",
];

/// Closes one schema; those in it are closed already.
pub(super) fn close(node: &mut Map<String, Value>, grammar: &Grammar, walk: &mut Walk<'_>) {
    type_of_values(node, walk);
    if is_any(node) {
        let what = "any JSON value, and a strict schema names the type; take a type of your own, or drop `strict`";
        walk.lose(what, Weight::Inexpressible);
    }
    if node.get("type").is_some_and(|kind| kind == "object") || node.get("properties").is_some_and(Value::is_object) {
        close_object(node, grammar, walk);
    }
    if node.contains_key("allOf") || node.contains_key("oneOf") {
        let what = "schemas that hold at the same time, and a strict schema takes one; merge them, or drop `strict`";
        walk.lose(what, Weight::Inexpressible);
    }
    if grammar.reads_first_key && has_equal_first_keys(node) {
        let what = "two objects to choose from begin with the same property, and a strict schema tells them apart by \
                    it; put a tag first (`#[serde(tag = \"..\")]`), or drop `strict`";
        walk.lose(what, Weight::Inexpressible);
    }
    for key in unsaid(node, grammar) {
        let Some(value) = node.shift_remove(&key) else { continue };
        if !SILENT.contains(&key.as_str()) {
            walk.reword(node, &words::keyword(&key, &value));
        }
    }
}

/// Whether every value fits.
pub(super) fn is_any(node: &Map<String, Value>) -> bool {
    !["type", "anyOf", "oneOf", "allOf", "enum", "const", "$ref"].iter().any(|key| node.contains_key(*key))
}

/// Listed values have a type, said or not.
fn type_of_values(node: &mut Map<String, Value>, walk: &mut Walk<'_>) {
    let values = match (node.get("enum"), node.get("const")) {
        (Some(Value::Array(values)), _) => values.as_slice(),
        (_, Some(value)) => std::slice::from_ref(value),
        _ => return,
    };
    let mut kinds = Vec::new();
    for value in values {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) | Value::Object(_) => {
                let what = "a list of values with arrays or objects in it; list plain values, or drop `strict`";
                walk.lose(what, Weight::Inexpressible);
                return;
            }
        };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if !node.contains_key("type") {
        let kind = if let [only] = kinds.as_slice() { json!(only) } else { json!(kinds) };
        node.insert("type".into(), kind);
    }
}

fn close_object(node: &mut Map<String, Value>, grammar: &Grammar, walk: &mut Walk<'_>) {
    let is_map = |others: &Value| *others != json!(false);
    if ["additionalProperties", "patternProperties"].iter().any(|key| node.get(*key).is_some_and(is_map)) {
        let what = "a map with keys of any name, and a strict object lists its properties; take a list of entries \
                    with a key and a value each, or drop `strict`";
        walk.lose(what, Weight::Inexpressible);
    }
    if grammar.requires_all {
        let names: Vec<Value> = match node.get("properties") {
            Some(Value::Object(properties)) => properties.keys().map(|name| name.as_str().into()).collect(),
            _ => Vec::new(),
        };
        node.insert("required".into(), names.into());
    }
    node.insert("additionalProperties".into(), false.into());
}

/// The keywords that the grammar doesn't take, in the order in which they are said.
fn unsaid(node: &Map<String, Value>, grammar: &Grammar) -> Vec<String> {
    let is_taken = |key: &str, value: &Value| match key {
        "format" => value.as_str().is_some_and(|format| grammar.formats.contains(&format)),
        "pattern" => value.as_str().is_some_and(is_regular),
        "minItems" if grammar.keywords.contains(&key) => {
            value.as_u64().is_some_and(|count| count <= grammar.max_min_items)
        }
        _ => grammar.keywords.contains(&key),
    };
    let mut keys: Vec<&String> = node.iter().filter(|(key, value)| !is_taken(key, value)).map(|(key, _)| key).collect();
    keys.sort_by_key(|key| ORDER.iter().position(|known| known == key).unwrap_or(ORDER.len()));
    keys.into_iter().cloned().collect()
}

/// Whether a pattern does without what no grammar can follow: looking round, looking back, word boundaries.
fn is_regular(pattern: &str) -> bool {
    let mut escaped = false;
    for (index, c) in pattern.char_indices() {
        if escaped {
            if matches!(c, 'b' | 'B' | 'k' | '1'..='9') {
                return false;
            }
            escaped = false;
            continue;
        }
        let after = &pattern[index..];
        if ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| after.starts_with(look)) {
            return false;
        }
        escaped = c == '\\';
    }
    true
}

/// Whether two objects of a union begin with the same property, and that one isn't a tag.
fn has_equal_first_keys(node: &Map<String, Value>) -> bool {
    let Some(Value::Array(branches)) = node.get("anyOf") else { return false };
    let first: Vec<(&String, &Value)> = branches
        .iter()
        .filter_map(|branch| branch.get("properties").and_then(Value::as_object).and_then(|all| all.iter().next()))
        .collect();
    first.iter().enumerate().any(|(index, (name, schema))| {
        first[..index].iter().any(|(other, before)| other == name && !are_different_tags(schema, before))
    })
}

fn are_different_tags(one: &Value, other: &Value) -> bool {
    match (one.get("const"), other.get("const")) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    }
}
