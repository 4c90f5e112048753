//! A tree as compact JSON, byte for byte as its `Display` writes it. That one can also indent and pad, and brings some
//! 20 KB of formatting for it.

use std::fmt::Write;

use serde_json::Value;

/// The value as compact JSON.
pub(crate) fn text(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Number(number) => {
            let _ = write!(out, "{number}");
        }
        Value::String(text) => quote(text, out),
        Value::Array(items) => {
            let mut before = '[';
            for item in items {
                out.push(before);
                before = ',';
                write(item, out);
            }
            out.push_str(if before == '[' { "[]" } else { "]" });
        }
        Value::Object(members) => {
            let mut before = '{';
            for (key, value) in members {
                out.push(before);
                before = ',';
                quote(key, out);
                out.push(':');
                write(value, out);
            }
            out.push_str(if before == '{' { "{}" } else { "}" });
        }
    }
}

/// Adds `text` as a JSON string, with its quotes, as `serde_json` writes it.
pub(super) fn quote(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
        let byte = rest.as_bytes()[at];
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let short = match byte {
            b'"' | b'\\' => byte,
            0x8 => b'b',
            0xc => b'f',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            _ => {
                let _ = write!(out, "\\u{byte:04x}");
                continue;
            }
        };
        out.push('\\');
        out.push(char::from(short));
    }
    out.push_str(rest);
    out.push('"');
}
