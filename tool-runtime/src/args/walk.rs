//! Walks the arguments along the schema and collects every problem, in the order of the schema.

use serde_json::Value;

use super::{
    MAX_GOT, MAX_PROBLEMS,
    bounds::Bounds,
    expect::{self, Keywords, Wanted},
    pointer,
    shown::{plain_value, preview},
    tree::Node,
};
use crate::error::{Problem, ProblemKind};

/// Schemas applied to values, at most; alternatives inside alternatives would multiply without it.
const MAX_STEPS: usize = 2_000_000;
/// References followed at one value; more of them go in a circle.
const MAX_HOPS: usize = 1000;

/// Every problem of `node` with `schema`, which is also where references resolve. Unknown keys of the root are left
/// to the key rules.
pub(super) fn problems(schema: &Value, node: &Node<'_>) -> Vec<Problem> {
    let mut walk = Walk { root: schema, path: String::new(), problems: Vec::new(), steps: 0, hops: 0 };
    walk.value(schema, node);
    if walk.steps > MAX_STEPS {
        walk.problems.clear();
        walk.problem(
            ProblemKind::OutOfBounds,
            "arguments that can be checked in reasonable time".into(),
            "too many".into(),
        );
    }
    walk.problems
}

pub(super) struct Walk<'s> {
    pub(super) root: &'s Value,
    path: String,
    problems: Vec<Problem>,
    steps: usize,
    hops: usize,
}

impl<'s> Walk<'s> {
    pub(super) fn value(&mut self, schema: &'s Value, node: &Node<'_>) {
        self.steps += 1;
        let Some(keywords) = schema.as_object().filter(|_| self.steps <= MAX_STEPS) else {
            if schema == &Value::Bool(false) {
                self.problem(ProblemKind::InvalidType, "no value at all".into(), preview(node, MAX_GOT));
            }
            return;
        };
        if keywords.get("not").is_some_and(takes_everything) {
            self.problem(ProblemKind::InvalidType, "no value at all".into(), preview(node, MAX_GOT));
            return;
        }
        if !self.is_of_type(schema, keywords, node) {
            return;
        }
        if let Some(target) = expect::resolve(self.root, keywords) {
            self.hops += 1;
            if self.hops < MAX_HOPS {
                self.value(target, node);
            }
        }
        for part in keywords.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.value(part, node);
        }
        if let Some(values) = expect::listed(keywords) {
            if !values.iter().any(|value| node.equals(value)) {
                let wanted = Wanted::of(self.root, schema);
                let kind = if wanted.takes_kind_of(node) { ProblemKind::OutOfBounds } else { ProblemKind::InvalidType };
                self.problem(kind, wanted.to_string(None), preview(node, MAX_GOT));
                return;
            }
        }
        match node {
            Node::Number(number) => self.number(schema, keywords, number, node),
            Node::String(text) => {
                self.count(keywords, ["minLength", "maxLength"], text.chars().count(), ["character", "characters"]);
            }
            Node::Array(items) => self.array(keywords, items),
            Node::Object(members) => self.object(keywords, node, members),
            Node::Null | Node::Bool(_) => {}
        }
        if let Some(branches) = expect::branches(keywords) {
            self.union(schema, branches, node);
        }
    }

    fn is_of_type(&mut self, schema: &Value, keywords: &Keywords, node: &Node<'_>) -> bool {
        let kind = node.kind();
        let mut types = expect::types(keywords).peekable();
        if types.peek().is_none() || types.any(|name| name == kind || (name == "number" && kind == "integer")) {
            return true;
        }
        let overflows = |number: &&str| number.parse::<f64>().is_ok_and(f64::is_infinite);
        if let Node::Number(number) = node {
            if overflows(number) && expect::types(keywords).any(|name| name == "integer") {
                self.number(schema, keywords, number, node);
                return false;
            }
        }
        let expected = expect::describe(self.root, schema);
        self.problem(ProblemKind::InvalidType, expected, preview(node, MAX_GOT));
        false
    }

    fn number(&mut self, schema: &Value, keywords: &Keywords, number: &str, node: &Node<'_>) {
        let bounds = Bounds::of(keywords);
        if let Some(kind) = bounds.judge(number) {
            let (of, bounded) = bounds.describe(keywords);
            let wanted = Wanted::of(self.root, schema);
            let expected = if wanted.kinds.contains(&of) { wanted.to_string(Some((of, &bounded))) } else { bounded };
            self.problem(kind, expected, plain_value(node, MAX_GOT));
        }
    }

    /// A count that has a least and a most: characters, items, fields.
    fn count(&mut self, keywords: &Keywords, limits: [&str; 2], count: usize, units: [&str; 2]) {
        let limit = |key: &str| keywords.get(key).and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
        let [least, most] = limits.map(limit);
        if least.is_some_and(|least| count < least) || most.is_some_and(|most| count > most) {
            let [one, many] = units;
            let expected = match (least, most) {
                (least, Some(most)) if least.is_some_and(|least| least > 0) => {
                    format!("{}..={most} {many}", least.unwrap_or(0))
                }
                (_, Some(most)) => format!("at most {most} {}", if most == 1 { one } else { many }),
                (least, None) => {
                    let least = least.unwrap_or(0);
                    format!("at least {least} {}", if least == 1 { one } else { many })
                }
            };
            let got = format!("{count} {}", if count == 1 { one } else { many });
            self.problem(ProblemKind::OutOfBounds, expected, got);
        }
    }

    fn array(&mut self, keywords: &'s Keywords, items: &[Node<'_>]) {
        self.count(keywords, ["minItems", "maxItems"], items.len(), ["item", "items"]);
        if keywords.get("uniqueItems") == Some(&Value::Bool(true)) && has_repeats(items) {
            self.problem(ProblemKind::OutOfBounds, "items that are all different".into(), "the same item twice".into());
        }
        let first: &[Value] = keywords.get("prefixItems").and_then(Value::as_array).map_or(&[], Vec::as_slice);
        let rest = keywords.get("items");
        for (index, item) in items.iter().enumerate() {
            // What is too much has been counted above.
            let is_extra =
                first.len() <= index && rest == Some(&Value::Bool(false)) && keywords.contains_key("maxItems");
            if let Some(schema) = first.get(index).or(rest).filter(|_| !is_extra) {
                self.child(&index.to_string(), schema, item);
            }
        }
    }

    fn object(&mut self, keywords: &'s Keywords, node: &Node<'_>, members: &[(std::borrow::Cow<'_, str>, Node<'_>)]) {
        self.count(keywords, ["minProperties", "maxProperties"], members.len(), ["field", "fields"]);
        let properties = keywords.get("properties").and_then(Value::as_object);
        let required = keywords.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let is_required = |name: &str| required.iter().any(|required| required == name);
        for (name, schema) in properties.into_iter().flatten() {
            if let Some(value) = node.get(name) {
                self.child(name, schema, value);
            } else if is_required(name) {
                self.missing(name, expect::describe(self.root, schema));
            }
        }
        for name in required.iter().filter_map(Value::as_str) {
            if !properties.is_some_and(|properties| properties.contains_key(name)) && node.get(name).is_none() {
                self.missing(name, "a value".into());
            }
        }
        let patterns = keywords.get("patternProperties").and_then(Value::as_object);
        let additional = keywords.get("additionalProperties");
        if patterns.is_none() && additional.is_none() {
            return;
        }
        for (key, value) in members {
            if properties.is_some_and(|properties| properties.contains_key(key.as_ref())) {
                continue;
            }
            let pattern = patterns.into_iter().flatten().find(|(pattern, _)| may_match(pattern, key));
            match pattern.map(|(_, schema)| schema).or(additional) {
                Some(Value::Bool(false)) if self.path.is_empty() => {}
                Some(Value::Bool(false)) => self.unknown(key, properties, patterns),
                Some(schema) => self.child(key, schema, value),
                None => {}
            }
        }
    }

    fn child(&mut self, step: &str, schema: &'s Value, node: &Node<'_>) {
        let length = self.path.len();
        let hops = std::mem::take(&mut self.hops);
        pointer::push(&mut self.path, step);
        self.value(schema, node);
        self.path.truncate(length);
        self.hops = hops;
    }

    fn unknown(&mut self, key: &str, properties: Option<&Keywords>, patterns: Option<&Keywords>) {
        let expected = match patterns.and_then(|patterns| patterns.keys().next()) {
            Some(pattern) if pattern.contains("\\d") => "an integer as the key".into(),
            _ => expect::no_such_field(properties.into_iter().flat_map(Keywords::keys).map(String::as_str)),
        };
        self.at(key, |walk| walk.problem(ProblemKind::UnknownField, expected, "unknown field".into()));
    }

    pub(super) fn missing(&mut self, name: &str, expected: String) {
        self.at(name, |walk| walk.problem(ProblemKind::Missing, expected, "missing".into()));
    }

    pub(super) fn at(&mut self, step: &str, then: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        pointer::push(&mut self.path, step);
        then(self);
        self.path.truncate(length);
    }

    pub(super) fn problem(&mut self, kind: ProblemKind, expected: String, got: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem { path: self.path.clone(), kind, expected, got });
        }
    }

    /// The problems that a schema would find, without keeping them.
    pub(super) fn attempt(&mut self, schema: &'s Value, node: &Node<'_>) -> Vec<Problem> {
        let kept = std::mem::take(&mut self.problems);
        self.value(schema, node);
        std::mem::replace(&mut self.problems, kept)
    }

    pub(super) fn keep(&mut self, problems: Vec<Problem>) {
        let room = MAX_PROBLEMS.saturating_sub(self.problems.len());
        self.problems.extend(problems.into_iter().take(room));
    }

    /// Whether a problem lies at the value itself, not inside it.
    pub(super) fn is_here(&self, problem: &Problem) -> bool {
        problem.path == self.path
    }
}

fn takes_everything(schema: &Value) -> bool {
    schema == &Value::Bool(true) || schema.as_object().is_some_and(Keywords::is_empty)
}

/// The two patterns that integer keys get are known. Any other needs a regular expression engine, which the core
/// does not have: this is the place for one.
fn may_match(pattern: &str, key: &str) -> bool {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match pattern {
        r"^\d+$" => is_digits(key),
        r"^-?\d+$" => is_digits(key.strip_prefix('-').unwrap_or(key)),
        _ => true,
    }
}

/// By what they look like when written, so that large arrays cost no more than sorting.
fn has_repeats(items: &[Node<'_>]) -> bool {
    let mut texts: Vec<String> = items.iter().map(|item| plain_value(item, usize::MAX - 1)).collect();
    texts.sort_unstable();
    texts.windows(2).any(|pair| pair[0] == pair[1])
}
