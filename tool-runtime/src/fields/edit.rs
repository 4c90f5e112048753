//! What `#[schemars(..)]` on a parameter does to its schema.

use std::{fmt, sync::Arc};

use schemars::Schema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::pattern;
use crate::request::Pattern;

/// A property's schema while `#[schemars(..)]` attributes change it.
#[derive(Debug)]
pub struct Edit<'a> {
    pub(super) name: &'static str,
    pub(super) schema: &'a mut Schema,
    pub(super) faults: &'a mut Vec<String>,
    /// The bounds alone, which a call has to keep.
    pub(super) limits: &'a mut Map<String, Value>,
    pub(super) pattern: &'a mut Option<Arc<dyn Pattern>>,
}

impl Edit<'_> {
    /// Sets a keyword.
    pub fn set(&mut self, key: &str, value: Value) {
        self.schema.insert(key.to_owned(), value);
    }

    /// `range(min = ..)`: the least number.
    pub fn minimum(&mut self, value: impl Bound) {
        self.bound("range", &[("number", "minimum"), ("integer", "minimum")], value.into());
    }

    /// `range(max = ..)`: the greatest number.
    pub fn maximum(&mut self, value: impl Bound) {
        self.bound("range", &[("number", "maximum"), ("integer", "maximum")], value.into());
    }

    /// `length(min = ..)`: the least number of characters, items or entries.
    pub fn min_length(&mut self, value: impl Bound) {
        let keys = [("string", "minLength"), ("array", "minItems"), ("object", "minProperties")];
        self.bound("length", &keys, value.into());
    }

    /// `length(max = ..)`: the greatest number of characters, items or entries.
    pub fn max_length(&mut self, value: impl Bound) {
        let keys = [("string", "maxLength"), ("array", "maxItems"), ("object", "maxProperties")];
        self.bound("length", &keys, value.into());
    }

    /// The least number of bytes of a text, at most four to a character; else of items or entries.
    pub fn min_bytes(&mut self, value: usize) {
        self.min_length(if has_type(self.schema, "string") { value.div_ceil(4) } else { value });
    }

    /// The least number of UTF-16 code units of a text, at most two to a character; else of items or entries.
    pub fn min_utf16(&mut self, value: usize) {
        self.min_length(if has_type(self.schema, "string") { value.div_ceil(2) } else { value });
    }

    /// A text with a form that has a name.
    pub fn format(&mut self, name: &str) {
        self.set("format", name.into());
    }

    /// A text with this in it.
    pub fn contains(&mut self, part: &str) {
        self.loose_pattern(&escaped(part));
    }

    /// A text that begins so.
    pub fn prefix(&mut self, part: &str) {
        self.loose_pattern(&format!("^{}", escaped(part)));
    }

    /// A text that ends so.
    pub fn suffix(&mut self, part: &str) {
        self.loose_pattern(&format!("{}$", escaped(part)));
    }

    /// A pattern that says what a rule does, which is held by other means. A schema has one, and the user's own says
    /// more.
    pub fn loose_pattern(&mut self, pattern: &str) {
        if self.schema.get("pattern").is_none() {
            self.set("pattern", pattern.into());
        }
    }

    /// `regex(pattern = ..)`: a pattern that the text must match.
    pub fn pattern(&mut self, pattern: impl fmt::Display) {
        let pattern = pattern.to_string();
        self.bound("regex", &[("string", "pattern")], pattern.as_str().into());
        if self.limits.remove("pattern").is_some() {
            match pattern::compile(&pattern) {
                Ok(compiled) => *self.pattern = compiled,
                Err(reason) => self.faults.push(format!(
                    "calls can't be held to the pattern `{pattern}` of parameter `{}`, {reason}; write one without what \
                     it names, or put it into the schema only, with `#[schemars(extend(\"pattern\" = ..))]`",
                    self.name
                )),
            }
        }
    }

    /// `example = ..`: one more example.
    pub fn example(&mut self, value: impl Serialize) {
        let Ok(example) = serde_json::to_value(value) else {
            self.faults.push(format!("`#[schemars(example)]` on parameter `{}` can't be turned into JSON", self.name));
            return;
        };
        match self.schema.get_mut("examples") {
            Some(Value::Array(examples)) => examples.push(example),
            _ => self.set("examples", json!([example])),
        }
    }

    /// Sets the keyword of the first type that the schema has. A bound without effect is a fault: the user
    /// believes that it holds.
    fn bound(&mut self, attribute: &str, keys: &[(&str, &str)], value: Value) {
        match keys.iter().find(|(kind, _)| has_type(self.schema, kind)) {
            Some((_, key)) => {
                self.limits.insert((*key).to_owned(), value.clone());
                self.set(key, value);
                self.judge_ends(attribute, key);
            }
            None => {
                let (bounded, instead) = match attribute {
                    "range" => ("numbers", "a text or a list takes `length`"),
                    "length" => ("texts and lists", "a number takes `range`"),
                    _ => ("texts", "a number takes `range`"),
                };
                let fault = format!(
                    "`#[schemars({attribute})]` on parameter `{}` has no effect, it bounds {bounded}; {instead}, and of a \
                     struct the field that is meant",
                    self.name
                );
                // `range` has two bounds.
                if !self.faults.contains(&fault) {
                    self.faults.push(fault);
                }
            }
        }
    }

    /// A least bound above the greatest, one of which is `key`, is a fault: no call could be right.
    fn judge_ends(&mut self, attribute: &str, key: &str) {
        let Some((least, most)) = BOTH_ENDS.iter().find(|(least, most)| *least == key || *most == key) else { return };
        let bound = |key: &str| self.limits.get(key).and_then(Value::as_f64);
        if bound(least).zip(bound(most)).is_some_and(|(least, most)| least > most) {
            self.faults.push(format!(
                "`#[schemars({attribute})]` on parameter `{}` leaves nothing, `min` is above `max`; exchange them",
                self.name
            ));
        }
    }
}

/// The keywords of a least bound, each with that of the greatest.
const BOTH_ENDS: [(&str, &str); 4] =
    [("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"), ("minProperties", "maxProperties")];

/// A number that bounds a parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't bound a parameter, a bound in a JSON schema is a number",
    label = "give an integer or a float"
)]
pub trait Bound: Into<Value> {}

macro_rules! bounds {
    ($($number:ty)*) => { $(impl Bound for $number {})* };
}

bounds! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 }

/// The text as a pattern that matches it alone.
fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '^' | '$' | '.' | '|' | '?' | '*' | '+' | '(' | ')' | '[' | ']' | '{' | '}' | '/') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

fn has_type(schema: &Schema, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == kind,
        Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
        _ => false,
    }
}
