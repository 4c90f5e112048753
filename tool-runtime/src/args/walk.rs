//! Walks the arguments along the schema and collects every problem, in the order of the schema.

use serde_json::Value;

use super::{
    DEEPEST, MAX_GOT, MAX_PATH_BYTES, MAX_PROBLEMS,
    bounds::{Bounds, is_too_large},
    expect::{self, Keywords, Wanted},
    pointer,
    shown::{plain_value, preview},
    tree::{BYTES_PER_STEP, Node},
};
use crate::{
    error::{Problem, ProblemKind},
    index::Places,
};

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
            let expected = "arguments that can be checked in reasonable time";
            self.tell(ProblemKind::OutOfBounds, expected.into(), "too many alternatives".into());
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
            if matches!(schema, Value::Bool(false)) {
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
        for part in expect::list(keywords, "allOf") {
            self.value(part, node);
        }
        if let Some(values) = expect::listed(keywords) {
            if !values.iter().any(|value| node.equals(value)) {
                if self.is_trial() {
                    self.nothing_fits(node);
                } else {
                    self.not_wanted(&Wanted::of(self.root, schema), node);
                }
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
        let names_one = expect::types(keywords).next().is_some();
        if !names_one || expect::takes(keywords, kind) || (kind == "integer" && expect::takes(keywords, "number")) {
            return true;
        }
        if let Node::Number(number) = node {
            if is_too_large(number) && expect::takes(keywords, "integer") {
                self.number(schema, keywords, number, node);
                return false;
            }
        }
        if self.fails() {
            self.tell(ProblemKind::InvalidType, expect::describe(self.root, schema), preview(node, MAX_GOT));
        }
        false
    }

    fn number(&mut self, schema: &Value, keywords: &Keywords, number: &str, node: &Node<'_>) {
        let bounds = Bounds::of(keywords);
        let Some(kind) = bounds.judge(number) else { return };
        if self.fails() {
            let (of, bounded) = bounds.describe(keywords);
            let wanted = Wanted::of(self.root, schema);
            let expected = if wanted.kinds.contains(&of) { wanted.to_string(Some((of, &bounded))) } else { bounded };
            self.tell(kind, expected, plain_value(node, MAX_GOT));
        }
    }

    fn string(&mut self, keywords: &Keywords, text: &str, node: &Node<'_>) {
        let limits = ["minLength", "maxLength"];
        if !limits.iter().any(|limit| keywords.contains_key(*limit)) {
            return;
        }
        if let Some((expected, count)) = self.count(keywords, limits, text.chars().count(), ["character", "characters"])
        {
            let got = preview(node, MAX_GOT - count.len() - 3);
            self.tell(ProblemKind::OutOfBounds, expected, format!("{got} ({count})"));
        }
    }

    /// A count that has a least and a most: characters, items, fields. What was expected and what came, if that has to
    /// be put into words.
    fn count(
        &mut self,
        keywords: &Keywords,
        limits: [&str; 2],
        count: usize,
        units: [&str; 2],
    ) -> Option<(String, String)> {
        let limit = |key: &str| keywords.get(key).and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
        let (least, most) = (limit(limits[0]).unwrap_or(0), limit(limits[1]));
        if (count >= least && most.is_none_or(|most| count <= most)) || !self.fails() {
            return None;
        }
        let unit = |count: usize| units[usize::from(count != 1)];
        let expected = match most {
            Some(most) if least > 0 => format!("{least}..={most} {}", units[1]),
            Some(most) => format!("at most {most} {}", unit(most)),
            None => format!("at least {least} {}", unit(least)),
        };
        Some((expected, format!("{count} {}", unit(count))))
    }

    fn count_members(&mut self, keywords: &Keywords, limits: [&str; 2], count: usize, units: [&str; 2]) {
        if let Some((expected, got)) = self.count(keywords, limits, count, units) {
            self.tell(ProblemKind::OutOfBounds, expected, got);
        }
    }

    fn array(&mut self, keywords: &'s Keywords, items: &[Node<'_>], node: &Node<'_>) {
        self.count_members(keywords, ["minItems", "maxItems"], items.len(), ["item", "items"]);
        let is_unique = matches!(keywords.get("uniqueItems"), Some(Value::Bool(true)));
        if is_unique && self.has_repeats(items, node) && self.fails() {
            let expected = "items that are all different";
            self.tell(ProblemKind::OutOfBounds, expected.into(), "the same item twice".into());
        }
        let first = expect::list(keywords, "prefixItems");
        let rest = keywords.get("items");
        for (index, item) in items.iter().enumerate() {
            if self.is_settled() {
                return;
            }
            // What is too much has been counted above.
            let is_extra =
                first.len() <= index && matches!(rest, Some(Value::Bool(false))) && keywords.contains_key("maxItems");
            if let Some(schema) = first.get(index).or(rest).filter(|_| !is_extra) {
                self.child(&index.to_string(), schema, item);
            }
        }
    }

    fn object(&mut self, keywords: &'s Keywords, node: &Node<'_>, members: &[(std::borrow::Cow<'_, str>, Node<'_>)]) {
        self.count_members(keywords, ["minProperties", "maxProperties"], members.len(), ["field", "fields"]);
        let properties = keywords.get("properties").and_then(Value::as_object);
        let required = expect::list(keywords, "required");
        let is_required = |name: &str| required.iter().any(|required| required.as_str() == Some(name));
        for (name, schema) in properties.into_iter().flatten() {
            if self.is_settled() {
                return;
            }
            self.spend(members.len() / BYTES_PER_STEP);
            if let Some(value) = node.get(name) {
                self.child(name, schema, value);
            } else if is_required(name) && self.fails() {
                self.missing(name, expect::describe(self.root, schema));
            }
        }
        for name in required.iter().filter_map(Value::as_str) {
            let is_known = properties.is_some_and(|properties| properties.contains_key(name));
            if !is_known && node.get(name).is_none() && self.fails() {
                self.missing(name, "a value".into());
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
                Some(Value::Bool(false)) if self.fails() => self.unknown(key, properties, patterns),
                Some(Value::Bool(false)) => {}
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
            Some(pattern) if pattern.as_bytes().windows(2).any(|pair| pair == b"\\d") => {
                "no such field; keys here are integers".into()
            }
            _ => {
                let mut names = Vec::new();
                names.extend(properties.into_iter().flat_map(Keywords::keys).map(String::as_str));
                expect::no_such_field(&names)
            }
        };
        self.tell_of(key, ProblemKind::UnknownField, expected, "unknown field");
    }

    pub(super) fn missing(&mut self, name: &str, expected: String) {
        self.tell_of(name, ProblemKind::Missing, expected, "missing");
    }

    /// A value of the right or the wrong kind that is none of those wanted.
    pub(super) fn not_wanted(&mut self, wanted: &Wanted<'_>, node: &Node<'_>) {
        if self.fails() {
            let fits = wanted.takes_kind_of(node);
            let kind = if fits { ProblemKind::OutOfBounds } else { ProblemKind::InvalidType };
            self.tell(kind, wanted.to_string(None), preview(node, MAX_GOT));
        }
    }

    pub(super) fn nothing_fits(&mut self, node: &Node<'_>) {
        if self.fails() {
            self.tell(ProblemKind::InvalidType, "no value at all".into(), preview(node, MAX_GOT));
        }
    }

    pub(super) fn at(&mut self, step: &str, then: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        pointer::push(&mut self.path, step);
        then(self);
        self.path.truncate(length);
    }

    /// Notes that something does not fit; whether that has to be put into words, which costs more than finding it.
    pub(super) fn fails(&mut self) -> bool {
        match &mut self.trial {
            Some(has_failed) => {
                *has_failed = true;
                false
            }
            None => !self.is_full(),
        }
    }

    fn tell(&mut self, kind: ProblemKind, expected: String, got: String) {
        self.path_bytes += self.path.len();
        self.problems.push(Problem { path: self.path.clone(), kind, expected, got });
    }

    fn tell_of(&mut self, step: &str, kind: ProblemKind, expected: String, got: &str) {
        self.at(step, |walk| walk.tell(kind, expected, got.into()));
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

    /// By what they look like when written, so that large arrays cost no more than a look-up for each item.
    fn has_repeats(&mut self, items: &[Node<'_>], node: &Node<'_>) -> bool {
        self.spend(node.weight());
        if self.is_exhausted() {
            return false;
        }
        let mut seen = Places::new();
        items.iter().enumerate().any(|(index, item)| seen.insert(plain_value(item, usize::MAX - 1), index).is_some())
    }
}

fn takes_everything(schema: &Value) -> bool {
    matches!(schema, Value::Bool(true)) || schema.as_object().is_some_and(Keywords::is_empty)
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
