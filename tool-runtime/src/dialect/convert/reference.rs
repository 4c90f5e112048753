//! `$ref`: what it points to, and what may stand beside it.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::words;

/// Follows references for those who put what is behind one in its place, and watches over what they copy. What
/// contains itself would go on for ever, and a few definitions that refer to each other twice make millions.
#[derive(Debug)]
pub(super) struct Resolver<'r> {
    root: &'r Value,
    references: usize,
    nodes: usize,
    /// Whether there was more to copy.
    pub(super) has_given_up: bool,
}

/// Values in what is copied for one schema.
const MOST_NODES: usize = 5_000;

impl<'r> Resolver<'r> {
    /// `references` are followed at most.
    pub(super) fn new(root: &'r Value, references: usize) -> Self {
        Self { root, references, nodes: MOST_NODES, has_given_up: false }
    }

    /// The schema itself, or the one that its `$ref` points to.
    pub(super) fn resolve<'s>(&mut self, mut schema: &'s Value) -> Option<&'s Value>
    where
        'r: 's,
    {
        while let Some(Value::String(reference)) = schema.get("$ref") {
            let next = target(reference, self.root)?;
            if self.references == 0 || !self.may_copy(next) {
                self.has_given_up = true;
                return None;
            }
            self.references -= 1;
            schema = next;
        }
        Some(schema)
    }

    /// Counts one copy.
    pub(super) fn may_copy(&mut self, schema: &Value) -> bool {
        if count(schema, &mut self.nodes) {
            return true;
        }
        self.has_given_up = true;
        false
    }
}

/// Takes the number of values from what is `left`, if there are so many.
fn count(value: &Value, left: &mut usize) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    match value {
        Value::Array(values) => values.iter().all(|value| count(value, left)),
        Value::Object(object) => object.values().all(|value| count(value, left)),
        _ => true,
    }
}

fn target<'s>(reference: &str, root: &'s Value) -> Option<&'s Value> {
    root.pointer(reference.strip_prefix('#')?)
}

/// Several providers refuse anything beside a `$ref`.
pub(super) fn stand_alone(node: &mut Map<String, Value>) {
    if node.len() == 1 || !node.contains_key("$ref") {
        return;
    }
    let says_more = node.keys().any(|key| key != "$ref" && !words::is_annotation(key));
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
