//! JSON Pointers (RFC 6901), and how they read in a sentence.

use std::fmt::Write;

use super::shown::shown;

/// Adds one step.
pub(super) fn push(path: &mut String, key: &str) {
    path.push('/');
    for character in key.chars() {
        match character {
            '~' => path.push_str("~0"),
            '/' => path.push_str("~1"),
            _ => path.push(character),
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
    step.replace("~1", "/").replace("~0", "~")
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
            let quoted = key.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = write!(text, "[\"{}\"]", shown(&quoted, max_chars.saturating_sub(4)));
        }
    }
    let chars = text.chars().count();
    if chars <= max_chars {
        return text;
    }
    let head = max_chars / 2;
    let tail = max_chars - head - 1;
    text.chars().take(head).chain(['…']).chain(text.chars().skip(chars - tail)).collect()
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
