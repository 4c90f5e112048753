//! Drops a value that may be nested too deeply for the stack.

use serde_json::Value;

/// Nesting that may be left to `Value`'s own recursive `Drop`.
const SAFE_DEPTH: usize = 128;

/// Leaves `null` in place of a value whose own `Drop`, a recursion, could overflow the stack.
pub(crate) fn dismantle(value: &mut Value) {
    if !is_deep(value) {
        return;
    }
    let mut waiting = vec![value.take()];
    while let Some(next) = waiting.pop() {
        match next {
            Value::Array(items) => waiting.extend(items.into_iter().filter(is_nest)),
            Value::Object(members) => waiting.extend(members.into_iter().map(|(_, value)| value).filter(is_nest)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// Whether a value is nested too deeply to be copied, compared or dropped by its own recursive ways.
pub(crate) fn is_deep(value: &Value) -> bool {
    is_deeper(value, SAFE_DEPTH)
}

/// Whether a value is nested more deeply than it could ever be written.
pub(crate) fn is_too_deep(value: &Value) -> bool {
    is_deeper(value, super::MAX_DEPTH)
}

fn is_nest(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_))
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    let deeper = |value: &Value| is_nest(value) && (levels == 0 || is_deeper(value, levels - 1));
    match value {
        Value::Array(items) => items.iter().any(deeper),
        Value::Object(members) => members.values().any(deeper),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::dismantle;

    #[test]
    fn what_is_shallow_stays_and_what_is_deep_goes() {
        let mut shallow = json!({ "a": [1, { "b": [] }] });
        let same = shallow.clone();
        dismantle(&mut shallow);
        assert_eq!(shallow, same);
        let mut deep = Value::Null;
        for level in 0..1_000_000 {
            deep = if level % 2 == 0 { Value::Array(vec![1.into(), deep]) } else { json_object(deep) };
        }
        dismantle(&mut deep);
        assert_eq!(deep, Value::Null);
    }

    fn json_object(value: Value) -> Value {
        Value::Object([("k".to_owned(), value)].into_iter().collect())
    }
}
