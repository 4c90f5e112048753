//! `$ref`: what it points to, and what may stand beside it.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

/// What says nothing about values.
const ANNOTATIONS: &[&str] = &["description", "title", "default", "examples", "deprecated", "$defs", "definitions"];

/// The schema that a `$ref` points to; chains of them are followed to their end.
pub(super) fn resolve<'s>(mut schema: &'s Value, root: &'s Value) -> &'s Value {
    // A chain of references may run in a circle.
    for _ in 0..16 {
        let Some(target) = schema.get("$ref").and_then(|reference| target(reference.as_str()?, root)) else { break };
        schema = target;
    }
    schema
}

fn target<'s>(reference: &str, root: &'s Value) -> Option<&'s Value> {
    root.pointer(reference.strip_prefix('#')?)
}

/// Several providers refuse anything beside a `$ref`.
pub(super) fn stand_alone(node: &mut Map<String, Value>) {
    if node.len() == 1 || !node.contains_key("$ref") {
        return;
    }
    let says_more = node.keys().any(|key| key != "$ref" && !ANNOTATIONS.contains(&key.as_str()));
    let key = if says_more { "allOf" } else { "anyOf" };
    let Some(reference) = node.shift_remove("$ref") else { return };
    match node.get_mut(key) {
        Some(Value::Array(parts)) => parts.push(json!({ "$ref": reference })),
        _ => {
            node.insert(key.into(), json!([{ "$ref": reference }]));
        }
    }
}

/// Where a schema contains itself.
pub(super) fn recursion(root: &Value) -> Option<String> {
    let search = Search { root, path: String::new(), open: vec!["#".to_owned()], clear: HashSet::new() };
    search.run()
}

struct Search<'s> {
    root: &'s Value,
    path: String,
    /// The references on the way down; one that comes again leads in a circle.
    open: Vec<String>,
    /// Those that were followed to their ends.
    clear: HashSet<String>,
}

impl Search<'_> {
    fn run(mut self) -> Option<String> {
        self.is_in(self.root).then_some(self.path)
    }

    /// Stops with the path where it is.
    fn is_in(&mut self, schema: &Value) -> bool {
        match schema {
            Value::Object(object) => object.iter().any(|(key, value)| match (key.as_str(), value) {
                ("$ref", Value::String(reference)) => self.is_behind(reference),
                // Definitions count where they are used.
                ("$defs" | "definitions", _) => false,
                _ => self.is_under(&key.replace('~', "~0").replace('/', "~1"), value),
            }),
            Value::Array(values) => {
                values.iter().enumerate().any(|(index, value)| self.is_under(&index.to_string(), value))
            }
            _ => false,
        }
    }

    fn is_under(&mut self, key: &str, schema: &Value) -> bool {
        let length = self.path.len();
        self.path.push('/');
        self.path.push_str(key);
        let found = self.is_in(schema);
        if !found {
            self.path.truncate(length);
        }
        found
    }

    fn is_behind(&mut self, reference: &str) -> bool {
        if self.open.iter().any(|known| known == reference) {
            return true;
        }
        if !self.clear.insert(reference.to_owned()) {
            return false;
        }
        let Some(target) = target(reference, self.root) else { return false };
        self.open.push(reference.to_owned());
        // The path stays where the reference stands.
        let length = self.path.len();
        let found = self.is_in(target);
        self.path.truncate(length);
        self.open.pop();
        found
    }
}
