//! The arguments as a tree, for the pass that looks for every problem. Numbers keep their text, so none loses a digit.

use std::borrow::Cow;

use super::{decimal::Decimal, string};
use crate::index;

/// Bytes of text, or members of an object, that cost one step more to look at.
pub(super) const BYTES_PER_STEP: usize = 64;

/// A key of an object, and its value.
pub(super) type Member<'t> = (Cow<'t, str>, Node<'t>);

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node<'t> {
    Null,
    Bool(bool),
    Number(Cow<'t, str>),
    String(Cow<'t, str>),
    Array(Vec<Node<'t>>),
    Object(Vec<Member<'t>>),
}

impl<'t> Node<'t> {
    /// Reads text that the scan has found valid, so its depth is bounded; of other text it makes something, and stops.
    pub(super) fn parse(text: &'t str) -> Self {
        Reader { text, at: 0 }.value()
    }

    /// The JSON Schema type. `-0` is no integer: no integer type takes it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(text) if is_integer(text) => "integer",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    pub(super) fn into_owned(self) -> Node<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Null => Node::Null,
            Self::Bool(truth) => Node::Bool(truth),
            Self::Number(number) => Node::Number(owned(number)),
            Self::String(text) => Node::String(owned(text)),
            Self::Array(items) => Node::Array(items.into_iter().map(Node::into_owned).collect()),
            Self::Object(members) => {
                Node::Object(members.into_iter().map(|(key, value)| (owned(key), value.into_owned())).collect())
            }
        }
    }

    /// As JSON text.
    pub(super) fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
            Self::Number(number) => out.push_str(number),
            Self::String(text) => string::quote(text, out),
            Self::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    string::quote(key, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// How many values there are, itself included, and at most how many in strings that may be JSON.
    pub(super) fn count(&self) -> usize {
        1 + match self {
            Self::Array(items) => items.iter().map(Self::count).sum(),
            Self::Object(members) => members.iter().map(|(_, value)| value.count()).sum(),
            Self::String(text) if text.trim_start().starts_with(['[', '{']) => text.len() / 2,
            Self::String(text) | Self::Number(text) => text.len() / BYTES_PER_STEP,
            Self::Null | Self::Bool(_) => 0,
        }
    }

    /// The work of looking at it once, in steps: one for each value, more for long text.
    pub(super) fn weight(&self) -> usize {
        let inside = match self {
            Self::Array(items) => items.iter().map(Self::weight).sum(),
            Self::Object(members) => members.iter().map(|(_, value)| value.weight()).sum(),
            _ => 0,
        };
        self.weight_alone() + inside
    }

    /// The same without what is in it.
    pub(super) fn weight_alone(&self) -> usize {
        1 + match self {
            Self::String(text) | Self::Number(text) => text.len() / BYTES_PER_STEP,
            Self::Object(members) => members.len() / BYTES_PER_STEP,
            Self::Array(_) | Self::Null | Self::Bool(_) => 0,
        }
    }

    /// Equal to a value of the schema, as JSON values are.
    pub(super) fn equals(&self, value: &serde_json::Value) -> bool {
        use serde_json::Value;
        match (self, value) {
            (Self::Null, Value::Null) => true,
            (Self::Bool(a), Value::Bool(b)) => a == b,
            (Self::String(a), Value::String(b)) => a == b,
            (Self::Number(a), Value::Number(b)) => {
                let b = b.to_string();
                *a == b || Decimal::parse(a) == Decimal::parse(&b)
            }
            (Self::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b)),
            (Self::Object(a), Value::Object(b)) => {
                a.len() == b.len() && a.iter().all(|(key, a)| b.get(key.as_ref()).is_some_and(|b| a.equals(b)))
            }
            _ => false,
        }
    }

    /// Whether two values are the same JSON value. Numbers that differ in spelling are the same only where both are
    /// floats that every reader would read alike.
    pub(super) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => {
                a == b || !is_integer(a) && !is_integer(b) && Decimal::parse(a) == Decimal::parse(b)
            }
            (Self::Array(a), Self::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b)),
            (Self::Object(a), Self::Object(b)) => same_members(a, b),
            _ => self == other,
        }
    }
}

/// Order does not matter; sorted, so that large objects cost no more than sorting.
fn same_members<'m>(a: &'m [Member<'m>], b: &'m [Member<'m>]) -> bool {
    let sorted = |members: &'m [Member<'m>]| {
        let mut sorted: Vec<&Member<'_>> = members.iter().collect();
        index::sort_by_text(&mut sorted, |(key, _)| key);
        sorted
    };
    let (a, b) = (sorted(a), sorted(b));
    // Inside a compared value a key may still stand twice.
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a.0 == b.0 && a.1.same(&b.1))
}

pub(super) fn is_integer(number: &str) -> bool {
    number != "-0" && !number.contains(['.', 'e', 'E'])
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn value(&mut self) -> Node<'t> {
        match self.peek() {
            Some(b'{') => {
                let mut members = Vec::new();
                self.list(b'}', |reader| {
                    reader.peek();
                    let key = reader.string();
                    reader.take(b':');
                    members.push((key, reader.value()));
                });
                Node::Object(members)
            }
            Some(b'[') => {
                let mut items = Vec::new();
                self.list(b']', |reader| items.push(reader.value()));
                Node::Array(items)
            }
            Some(b'"') => Node::String(self.string()),
            _ => match self.word() {
                "true" => Node::Bool(true),
                "false" => Node::Bool(false),
                "null" | "" => Node::Null,
                number => Node::Number(Cow::Borrowed(number)),
            },
        }
    }

    fn list(&mut self, close: u8, mut item: impl FnMut(&mut Self)) {
        self.at += 1;
        if self.take(close) {
            return;
        }
        loop {
            item(self);
            if !self.take(b',') {
                self.take(close);
                return;
            }
        }
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn string(&mut self) -> Cow<'t, str> {
        let start = (self.at + 1).min(self.text.len());
        let bytes = self.text.as_bytes();
        let mut end = start;
        while let Some(found) = bytes.get(end..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
            end += found;
            if bytes[end] == b'"' {
                self.at = end + 1;
                return string::unescape(&self.text[start..end]);
            }
            end += 2;
        }
        self.at = self.text.len();
        Cow::Borrowed("")
    }

    fn word(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let end = rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn reads_what_serde_json_reads() {
        for text in [
            r#" { "a" : [ 1 , -2.5e3 , true , false , null ] , "b\n" : { } , "c" : [ ] , "d":"x\\\"y\ud83d\ude00" } "#,
            "[]",
            "5",
            "\"\"",
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert!(Node::parse(text).equals(&value), "{text}");
        }
    }

    #[test]
    fn sameness_is_exact() {
        let same = |a, b| Node::parse(a).same(&Node::parse(b));
        assert!(same(r#"{"a":1,"b":[2]}"#, r#"{ "b" : [ 2 ], "\u0061": 1 }"#));
        assert!(same("1.50", "1.5"));
        assert!(!same("1", "1.0"));
        assert!(!same("18446744073709551617", "18446744073709551618"));
        assert!(!same("1.0", "1.00000000000000000000001"));
        let equal = |text, value| Node::parse(text).equals(&value);
        assert!(equal("1.0", 1.into()) && equal("0.50", 0.5.into()) && equal("-0.0", 0.into()));
        assert!(!equal("9007199254740992.4", 9_007_199_254_740_992_u64.into()));
        assert!(!same("[1]", "[1,1]"));
    }
}
