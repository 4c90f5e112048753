//! JSON Pointers (RFC 6901), and how they read in a sentence.

use std::fmt::Write;

use super::shown::shown;

/// Adds one step.
pub(super) fn push(path: &mut String, key: &str) {
    path.push('/');
    escape(key, path, &|character| match character {
        '~' => Some("~0"),
        '/' => Some("~1"),
        _ => None,
    });
}

/// Adds `text` with some of its characters written in another way.
#[inline(never)]
fn escape(text: &str, out: &mut String, written: &dyn Fn(char) -> Option<&'static str>) {
    for character in text.chars() {
        match written(character) {
            Some(written) => out.push_str(written),
            None => out.push(character),
        }
    }
}

pub(super) fn of(key: &str) -> String {
    let mut path = String::with_capacity(key.len() + 1);
    push(&mut path, key);
    path
}

/// The first step, unescaped.
pub(super) fn first(path: &str) -> Option<String> {
    path.strip_prefix('/')?.split('/').next().map(unescape)
}

/// Whether this is a whole argument, and nothing inside it.
pub(super) fn is_top(path: &str) -> bool {
    path.strip_prefix('/').is_some_and(|step| !step.contains('/'))
}

fn unescape(step: &str) -> String {
    let mut pieces = step.split('~');
    let mut key = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (character, rest) = match piece.strip_prefix('1') {
            Some(rest) => ('/', rest),
            None => ('~', piece.strip_prefix('0').unwrap_or(piece)),
        };
        key.push(character);
        key.push_str(rest);
    }
    key
}

/// `/i/1/x` as `i[1].x` and `/i/a~1b` as `i["a/b"]`, safe to show and at most `max_chars` long; the middle of a longer one is left out.
pub(super) fn readable(path: &str, max_chars: usize) -> String {
    let mut text = String::new();
    for (index, step) in path.split('/').skip(1).enumerate() {
        if index > 0 && !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit()) {
            text.push('[');
            text.push_str(&shown(step, max_chars));
            text.push(']');
            continue;
        }
        let key = unescape(step);
        if is_plain(&key) {
            if index > 0 {
                text.push('.');
            }
            text.push_str(&shown(&key, max_chars));
        } else {
            let mut quoted = String::new();
            escape(&key, &mut quoted, &|character| match character {
                '\\' => Some("\\\\"),
                '"' => Some("\\\""),
                _ => None,
            });
            let _ = write!(text, "[\"{}\"]", shown(&quoted, max_chars.saturating_sub(4)));
        }
    }
    let chars = text.chars().count();
    if chars <= max_chars {
        return text;
    }
    let head = max_chars / 2;
    let tail = max_chars - head - 1;
    let mut short = String::with_capacity(text.len());
    for (index, character) in text.chars().enumerate() {
        match index {
            _ if index == head => short.push('…'),
            _ if index < head || index >= chars - tail => short.push(character),
            _ => {}
        }
    }
    short
}

/// Whether a key can't be taken for two steps of a path, or for none.
fn is_plain(key: &str) -> bool {
    !key.is_empty() && !key.contains(['.', '/', '[', ']', '"', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_like_code() {
        assert_eq!(readable("/i/1/x", 80), "i[1].x");
        assert_eq!(readable("/opts/a~1b/c~0d", 80), r#"opts["a/b"].c~d"#);
        assert_eq!(readable("/a.b/x", 80), r#"["a.b"].x"#);
        assert_eq!(readable(r#"/a/"]["/"#, 80), r#"a["\"][\""][""]"#);
        assert_eq!(readable("/0", 80), "0");
        assert_eq!(readable(&of(&"k".repeat(5000)), 80).chars().count(), 80);
        assert_eq!(readable(&"/long_key".repeat(40), 80).chars().count(), 80);
        assert_eq!(first("/a~1b/c").as_deref(), Some("a/b"));
    }
}
