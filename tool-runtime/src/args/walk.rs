//! Walks the arguments along the schema and collects every problem, in the order of the schema.

use serde_json::Value;

use super::{
    DEEPEST, MAX_GOT, MAX_PATH_BYTES, MAX_PROBLEMS,
    bounds::Bounds,
    expect::{self, Keywords, Wanted},
    pointer,
    shown::{plain_value, preview},
    tree::{BYTES_PER_STEP, Node},
};
use crate::error::{Problem, ProblemKind};

/// Schemas applied to values, at most: this many, and some for each value. Alternatives inside alternatives would
/// multiply without it.
const STEPS: usize = 100_000;
const STEPS_PER_VALUE: usize = 8;
/// References followed one after another at one value; more of them go in a circle, which nothing fits.
const MAX_HOPS: usize = 16;
/// Schemas applied inside one another, at most: eight for each level of nesting. The stack is what it bounds.
const MAX_NESTED: usize = 8 * DEEPEST;

/// Every problem of `node` with `schema`, which is also where references resolve. Unknown keys of the root are left
/// to the key rules.
pub(super) fn problems(schema: &Value, node: &Node<'_>) -> Vec<Problem> {
    let mut walk = Walk::new(schema, node);
    walk.value(schema, node);
    walk.finish()
}

/// The problems of the members of `given` with the properties of their names in `schema`, and no others: nothing about
/// what is missing, unknown or too many. The cost is that of the members given.
pub(super) fn problems_of_given(schema: &Value, given: &Node<'_>) -> Vec<Problem> {
    let mut walk = Walk::new(schema, given);
    for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if let Some(value) = given.get(name) {
            walk.child(name, schema, value);
        }
    }
    walk.finish()
}

pub(super) struct Walk<'s> {
    pub(super) root: &'s Value,
    path: String,
    problems: Vec<Problem>,
    /// While an alternative is only tried: whether it has failed. Nothing is put into words then.
    trial: Option<bool>,
    steps_left: usize,
    hops: usize,
    nested: usize,
    /// Bytes in the paths of the problems.
    path_bytes: usize,
}

impl<'s> Walk<'s> {
    pub(super) fn new(root: &'s Value, node: &Node<'_>) -> Self {
        let steps_left = STEPS + STEPS_PER_VALUE * node.count();
        Self {
            root,
            path: String::new(),
            problems: Vec::new(),
            trial: None,
            steps_left,
            hops: 0,
            nested: 0,
            path_bytes: 0,
        }
    }

    fn finish(mut self) -> Vec<Problem> {
        if self.is_exhausted() {
            self.path.clear();
            self.problems.clear();
            self.problem(
                ProblemKind::OutOfBounds,
                || "arguments that can be checked in reasonable time".into(),
                || "too many alternatives".into(),
            );
        }
        self.problems
    }

    /// Pays for work; what can't be paid for is not done, and then no answer of this walk counts.
    pub(super) fn spend(&mut self, steps: usize) {
        self.steps_left = self.steps_left.saturating_sub(steps);
    }

    pub(super) fn is_exhausted(&self) -> bool {
        self.steps_left == 0
    }

    /// Whether one schema more may be applied inside the one that is being applied; the stack has an end.
    pub(super) fn enter(&mut self) -> bool {
        if self.nested >= MAX_NESTED {
            self.steps_left = 0;
            return false;
        }
        self.nested += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.nested -= 1;
    }

    pub(super) fn value(&mut self, schema: &'s Value, node: &Node<'_>) {
        if self.is_settled() {
            return;
        }
        self.spend(node.weight_alone());
        if self.enter() {
            self.value_here(schema, node);
            self.leave();
        }
    }

    fn value_here(&mut self, schema: &'s Value, node: &Node<'_>) {
        let Some(keywords) = schema.as_object().filter(|_| !self.is_exhausted()) else {
            if schema == &Value::Bool(false) {
                self.nothing_fits(node);
            }
            return;
        };
        if keywords.get("not").is_some_and(takes_everything) {
            self.nothing_fits(node);
            return;
        }
        if !self.is_of_type(schema, keywords, node) {
            return;
        }
        if let Some(target) = expect::resolve(self.root, keywords) {
            if self.hops >= MAX_HOPS {
                self.nothing_fits(node);
                return;
            }
            self.hops += 1;
            self.value(target, node);
            self.hops -= 1;
        }
        for part in keywords.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.value(part, node);
        }
        if let Some(values) = expect::listed(keywords) {
            if !values.iter().any(|value| node.equals(value)) {
                let root = self.root;
                self.not_wanted_of(|| Wanted::of(root, schema), node);
                return;
            }
        }
        match node {
            Node::Number(number) => self.number(schema, keywords, number, node),
            Node::String(text) => self.string(keywords, text, node),
            Node::Array(items) => self.array(keywords, items, node),
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
        if let Node::Number(number) = node {
            let overflows = number.parse::<f64>().is_ok_and(f64::is_infinite);
            if overflows && expect::types(keywords).any(|name| name == "integer") {
                self.number(schema, keywords, number, node);
                return false;
            }
        }
        let root = self.root;
        self.problem(ProblemKind::InvalidType, || expect::describe(root, schema), || preview(node, MAX_GOT));
        false
    }

    fn number(&mut self, schema: &Value, keywords: &Keywords, number: &str, node: &Node<'_>) {
        let bounds = Bounds::of(keywords);
        let Some(kind) = bounds.judge(number) else { return };
        let root = self.root;
        let expected = || {
            let (of, bounded) = bounds.describe(keywords);
            let wanted = Wanted::of(root, schema);
            if wanted.kinds.contains(&of) { wanted.to_string(Some((of, &bounded))) } else { bounded }
        };
        self.problem(kind, expected, || plain_value(node, MAX_GOT));
    }

    fn string(&mut self, keywords: &Keywords, text: &str, node: &Node<'_>) {
        let limits = ["minLength", "maxLength"];
        if !limits.iter().any(|limit| keywords.contains_key(*limit)) {
            return;
        }
        let got = |count: &str| format!("{} ({count})", preview(node, MAX_GOT - count.len() - 3));
        self.count(keywords, limits, text.chars().count(), ["character", "characters"], got);
    }

    /// A count that has a least and a most: characters, items, fields. `got` says what has that count.
    fn count(
        &mut self,
        keywords: &Keywords,
        limits: [&str; 2],
        count: usize,
        units: [&str; 2],
        got: impl FnOnce(&str) -> String,
    ) {
        let limit = |key: &str| keywords.get(key).and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
        let [least, most] = limits.map(limit);
        let least = least.unwrap_or(0);
        if count >= least && most.is_none_or(|most| count <= most) {
            return;
        }
        let unit = |count: usize| units[usize::from(count != 1)];
        let expected = || match most {
            Some(most) if least > 0 => format!("{least}..={most} {}", units[1]),
            Some(most) => format!("at most {most} {}", unit(most)),
            None => format!("at least {least} {}", unit(least)),
        };
        self.problem(ProblemKind::OutOfBounds, expected, || got(&format!("{count} {}", unit(count))));
    }

    fn array(&mut self, keywords: &'s Keywords, items: &[Node<'_>], node: &Node<'_>) {
        self.count(keywords, ["minItems", "maxItems"], items.len(), ["item", "items"], str::to_owned);
        if keywords.get("uniqueItems") == Some(&Value::Bool(true)) && self.has_repeats(items, node) {
            self.problem(
                ProblemKind::OutOfBounds,
                || "items that are all different".into(),
                || "the same item twice".into(),
            );
        }
        let first: &[Value] = keywords.get("prefixItems").and_then(Value::as_array).map_or(&[], Vec::as_slice);
        let rest = keywords.get("items");
        for (index, item) in items.iter().enumerate() {
            if self.is_settled() {
                return;
            }
            // What is too much has been counted above.
            let is_extra =
                first.len() <= index && rest == Some(&Value::Bool(false)) && keywords.contains_key("maxItems");
            if let Some(schema) = first.get(index).or(rest).filter(|_| !is_extra) {
                self.child(&index.to_string(), schema, item);
            }
        }
    }

    fn object(&mut self, keywords: &'s Keywords, node: &Node<'_>, members: &[(std::borrow::Cow<'_, str>, Node<'_>)]) {
        self.count(keywords, ["minProperties", "maxProperties"], members.len(), ["field", "fields"], str::to_owned);
        let properties = keywords.get("properties").and_then(Value::as_object);
        let required = keywords.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let is_required = |name: &str| required.iter().any(|required| required == name);
        for (name, schema) in properties.into_iter().flatten() {
            if self.is_settled() {
                return;
            }
            self.spend(members.len() / BYTES_PER_STEP);
            if let Some(value) = node.get(name) {
                self.child(name, schema, value);
            } else if is_required(name) {
                let root = self.root;
                self.missing(name, || expect::describe(root, schema));
            }
        }
        for name in required.iter().filter_map(Value::as_str) {
            if !properties.is_some_and(|properties| properties.contains_key(name)) && node.get(name).is_none() {
                self.missing(name, || "a value".into());
            }
        }
        let patterns = keywords.get("patternProperties").and_then(Value::as_object);
        let additional = keywords.get("additionalProperties");
        if patterns.is_none() && additional.is_none() {
            return;
        }
        for (key, value) in members {
            if self.is_settled() {
                return;
            }
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
        let expected = || match patterns.and_then(|patterns| patterns.keys().next()) {
            Some(pattern) if pattern.contains("\\d") => "no such field; keys here are integers".into(),
            _ => expect::no_such_field(properties.into_iter().flat_map(Keywords::keys).map(String::as_str)),
        };
        self.at(key, |walk| walk.problem(ProblemKind::UnknownField, expected, || "unknown field".into()));
    }

    pub(super) fn missing(&mut self, name: &str, expected: impl FnOnce() -> String) {
        self.at(name, |walk| walk.problem(ProblemKind::Missing, expected, || "missing".into()));
    }

    fn not_wanted_of<'w>(&mut self, wanted: impl FnOnce() -> Wanted<'w>, node: &Node<'_>) {
        if self.is_trial() { self.nothing_fits(node) } else { self.not_wanted(&wanted(), node) }
    }

    /// A value of the right or the wrong kind that is none of those wanted.
    pub(super) fn not_wanted(&mut self, wanted: &Wanted<'_>, node: &Node<'_>) {
        let fits = wanted.takes_kind_of(node);
        let kind = if fits { ProblemKind::OutOfBounds } else { ProblemKind::InvalidType };
        self.problem(kind, || wanted.to_string(None), || preview(node, MAX_GOT));
    }

    pub(super) fn nothing_fits(&mut self, node: &Node<'_>) {
        self.problem(ProblemKind::InvalidType, || "no value at all".into(), || preview(node, MAX_GOT));
    }

    pub(super) fn at(&mut self, step: &str, then: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        pointer::push(&mut self.path, step);
        then(self);
        self.path.truncate(length);
    }

    fn problem(&mut self, kind: ProblemKind, expected: impl FnOnce() -> String, got: impl FnOnce() -> String) {
        if let Some(has_failed) = &mut self.trial {
            *has_failed = true;
        } else if !self.is_full() {
            self.path_bytes += self.path.len();
            self.problems.push(Problem { path: self.path.clone(), kind, expected: expected(), got: got() });
        }
    }

    /// Whether a value has no problem, found out without naming one.
    pub(super) fn fits(&mut self, schema: &'s Value, node: &Node<'_>) -> bool {
        let outer = self.trial.replace(false);
        self.value(schema, node);
        std::mem::replace(&mut self.trial, outer) == Some(false)
    }

    pub(super) fn is_trial(&self) -> bool {
        self.trial.is_some()
    }

    /// Whether looking further would change nothing.
    fn is_settled(&self) -> bool {
        self.is_exhausted() || self.trial.unwrap_or_else(|| self.is_full())
    }

    fn is_full(&self) -> bool {
        self.problems.len() >= MAX_PROBLEMS || self.path_bytes >= MAX_PATH_BYTES
    }

    /// By what they look like when written, so that large arrays cost no more than sorting.
    fn has_repeats(&mut self, items: &[Node<'_>], node: &Node<'_>) -> bool {
        self.spend(node.weight());
        if self.is_exhausted() {
            return false;
        }
        let mut texts: Vec<String> = items.iter().map(|item| plain_value(item, usize::MAX - 1)).collect();
        texts.sort_unstable();
        texts.windows(2).any(|pair| pair[0] == pair[1])
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
