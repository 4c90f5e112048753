//! What a schema wants, in words for a model. Rust type names never appear.

use std::{fmt::Write, slice::from_ref};

use serde_json::{Map, Value};

use super::{shown::shown, tree::Node};
use crate::json;

pub(super) type Keywords = Map<String, Value>;

/// Characters that the list of an enum's values may take.
const MAX_LISTED: usize = 240;

/// `integer`, `one of celsius, fahrenheit or null`, `integer or string`.
pub(super) fn describe(root: &Value, schema: &Value) -> String {
    Wanted::of(root, schema).to_string(None)
}

/// Schemas looked at inside one another for one description; what is further in counts as anything.
const MAX_NESTED: usize = 64;
/// Listed values among which no value is named twice; in longer lists, looking for one would cost too much.
const MAX_COMPARED: usize = 256;

/// What kinds of values a schema takes at its top.
#[derive(Debug, Default)]
pub(super) struct Wanted<'s> {
    /// Each way of being right that is listed value by value.
    pub(super) values: Vec<&'s Value>,
    pub(super) kinds: Vec<&'s str>,
    pub(super) null: bool,
    /// Takes anything.
    pub(super) any: bool,
    /// References that have been followed; a second time adds nothing.
    seen: Vec<&'s Value>,
    nested: usize,
    /// Schemas that were looked at.
    pub(super) cost: usize,
}

impl<'s> Wanted<'s> {
    pub(super) fn of(root: &'s Value, schema: &'s Value) -> Self {
        let mut wanted = Self::default();
        wanted.gather(root, schema);
        wanted
    }

    fn gather(&mut self, root: &'s Value, schema: &'s Value) {
        if self.nested >= MAX_NESTED {
            self.any = true;
            return;
        }
        self.nested += 1;
        self.cost += 1;
        self.gather_here(root, schema);
        self.nested -= 1;
    }

    fn gather_here(&mut self, root: &'s Value, schema: &'s Value) {
        let Some(keywords) = schema.as_object() else {
            self.any |= matches!(schema, Value::Bool(true));
            return;
        };
        if keywords.contains_key("not") && keywords.len() == 1 {
            return;
        }
        if let Some(values) = listed(keywords) {
            for value in values {
                self.null |= value.is_null();
                let is_new = self.values.len() >= MAX_COMPARED || !self.values.contains(&value);
                if !value.is_null() && is_new {
                    self.values.push(value);
                }
            }
        } else if keywords.contains_key("type") {
            for kind in types(keywords).filter(|&kind| kind != "null") {
                if !self.kinds.contains(&kind) {
                    self.kinds.push(kind);
                }
            }
            self.null |= takes(keywords, "null");
        } else if let Some(target) = resolve(root, keywords) {
            if !self.seen.iter().any(|seen| std::ptr::eq(*seen, target)) {
                self.seen.push(target);
                self.gather(root, target);
            }
        } else if let Some(branches) = branches(keywords) {
            for branch in branches {
                self.gather(root, branch);
            }
        } else if let Some(Value::Array(all)) = keywords.get("allOf") {
            if let Some(first) = all.first() {
                self.gather(root, first);
            }
        } else if let Some(kind) = implied(keywords) {
            if !self.kinds.contains(&kind) {
                self.kinds.push(kind);
            }
        } else {
            self.any = true;
        }
    }

    /// Whether a value of this kind can be right.
    pub(super) fn takes_kind_of(&self, node: &Node<'_>) -> bool {
        let kind = node.kind();
        self.any
            || (kind == "null" && self.null)
            || self.kinds.iter().any(|&wanted| wanted == kind || (wanted == "number" && kind == "integer"))
            || self.values.iter().any(|value| {
                matches!(
                    (value, node),
                    (Value::String(_), Node::String(_))
                        | (Value::Number(_), Node::Number(_))
                        | (Value::Bool(_), Node::Bool(_))
                        | (Value::Array(_), Node::Array(_))
                        | (Value::Object(_), Node::Object(_))
                )
            })
    }

    /// Whether something beside `null` is right here that is of none of the other's kinds.
    pub(super) fn takes_other_than(&self, other: &Self) -> bool {
        self.any || self.kinds.iter().any(|kind| !other.kinds.contains(kind))
    }

    /// `bounds` stand in place of the numeric kind they belong to.
    pub(super) fn to_string(&self, bounds: Option<(&str, &str)>) -> String {
        let mut parts = Vec::new();
        if let Some(values) = list_values(&self.values) {
            parts.push(values);
        }
        for &kind in &self.kinds {
            parts.push(match bounds {
                Some((of, bounded)) if of == kind => bounded.to_owned(),
                _ => shown(kind, 80),
            });
        }
        if self.any || parts.is_empty() {
            if !self.null {
                return if self.any { "any JSON value".into() } else { "no value at all".into() };
            }
            if self.any {
                return "any JSON value".into();
            }
        }
        if self.null {
            parts.push("null".into());
        }
        parts.join(" or ")
    }
}

fn list_values(values: &[&Value]) -> Option<String> {
    let word = |index: usize| match values[index] {
        Value::String(text) => shown(text, 80),
        other => shown(&json::text(other), 80),
    };
    match values.len() {
        0 => None,
        1 => Some(word(0)),
        count => Some(listing("one of ", count, &word)),
    }
}

/// Joins with commas what fits, and says how many there are where not all do.
fn listing(start: &str, count: usize, word: &dyn Fn(usize) -> String) -> String {
    let mut text = start.to_owned();
    for index in 0..count {
        let word = word(index);
        if index > 0 {
            if text.len() - start.len() + word.len() > MAX_LISTED {
                let _ = write!(text, ", … ({count} in all)");
                return text;
            }
            text.push_str(", ");
        }
        text.push_str(&word);
    }
    text
}

/// What to say of a key that the object does not take.
pub(super) fn no_such_field(names: &[&str]) -> String {
    if names.is_empty() {
        return "no such field; there are none".into();
    }
    listing("no such field; known fields: ", names.len(), &|index| shown(names[index], 80))
}

/// The names of an object's properties, those of its branches included.
pub(super) fn property_names(schema: &Value) -> Vec<&str> {
    fn gather<'s>(
        root: &'s Value,
        schema: &'s Value,
        hops: usize,
        seen: &mut Vec<&'s Value>,
        names: &mut Vec<&'s str>,
    ) {
        let Some(keywords) = schema.as_object().filter(|_| hops < 8) else { return };
        for name in keywords.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let target = resolve(root, keywords).filter(|target| !seen.iter().any(|seen| std::ptr::eq(*seen, *target)));
        seen.extend(target);
        for parts in [list(keywords, "allOf"), branches(keywords).unwrap_or_default(), target.map_or(&[], from_ref)] {
            for part in parts {
                gather(root, part, hops + 1, seen, names);
            }
        }
    }
    let mut names = Vec::new();
    gather(schema, schema, 0, &mut Vec::new(), &mut names);
    names
}

/// The allowed values, where they are listed.
pub(super) fn listed(keywords: &Keywords) -> Option<&[Value]> {
    match (keywords.get("enum"), keywords.get("const")) {
        (_, Some(only)) => Some(from_ref(only)),
        (Some(Value::Array(values)), None) => Some(values),
        _ => None,
    }
}

pub(super) fn branches(keywords: &Keywords) -> Option<&[Value]> {
    ["anyOf", "oneOf"].iter().find_map(|key| keywords.get(*key)?.as_array()).map(Vec::as_slice)
}

/// The values of a keyword that has a list of them; none where it is absent.
pub(super) fn list<'k>(keywords: &'k Keywords, keyword: &str) -> &'k [Value] {
    keywords.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The names in `type`, one or several.
pub(super) fn types(keywords: &Keywords) -> impl Iterator<Item = &str> {
    let kinds: &[Value] = match keywords.get("type") {
        Some(Value::Array(kinds)) => kinds,
        Some(kind) => from_ref(kind),
        None => &[],
    };
    kinds.iter().filter_map(Value::as_str)
}

/// Whether this is one of the names in `type`.
#[inline(never)]
pub(super) fn takes(keywords: &Keywords, kind: &str) -> bool {
    types(keywords).any(|name| name == kind)
}

/// The schema that `$ref` points to inside `root`.
pub(super) fn resolve<'s>(root: &'s Value, keywords: &Keywords) -> Option<&'s Value> {
    let pointer = keywords.get("$ref")?.as_str()?.strip_prefix('#')?;
    root.pointer(pointer).or_else(|| root.pointer(&without_percents(pointer)))
}

/// The two escapes that a reference needs for a name with a space or a percent sign.
#[cold]
fn without_percents(pointer: &str) -> String {
    pointer.replace("%20", " ").replace("%25", "%")
}

fn implied(keywords: &Keywords) -> Option<&'static str> {
    let has = |names: &[&str]| names.iter().any(|name| keywords.contains_key(*name));
    if has(&["properties", "required"]) {
        Some("object")
    } else if has(&["items", "prefixItems"]) {
        Some("array")
    } else {
        None
    }
}
