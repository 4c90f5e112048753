//! Tells a secret from a word, for what an expression can't say.

use super::REDACTED;

pub(super) fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether so many letters and digits stand together.
pub(super) fn has_run(text: &str, length: usize) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|run| run.len() >= length)
}

/// Letters and digits of a length that words don't have.
pub(super) fn is_random(text: &str) -> bool {
    is_value(text) && text.len() >= 12 && has_digit(text) && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Not a placeholder, a path or a sentence.
pub(super) fn is_value(text: &str) -> bool {
    const PLACEHOLDERS: [&str; 10] =
        ["null", "none", "true", "false", "undefined", "password", "passwd", "pwd", "pass", "string"];
    /// Words that passphrases don't have and sentences do.
    const PROSE: [&str; 12] = ["the", "a", "your", "is", "must", "be", "at", "for", "of", "to", "and", "password"];
    let text = text.trim();
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return false };
    let is_mask = matches!(first, '*' | 'x' | 'X' | '.' | '•' | '-') && chars.all(|c| c == first);
    let is_reference = text.starts_with(['<', '$', '{', '%', '/', '~']) || text.starts_with(REDACTED);
    let is_word = PLACEHOLDERS.iter().any(|word| text.eq_ignore_ascii_case(word));
    let mut words = text.split_whitespace();
    let is_prose = text.contains(' ') && words.any(|word| PROSE.iter().any(|known| word.eq_ignore_ascii_case(known)));
    !(is_mask || is_reference || is_word || is_prose)
}

/// Whether this is code that gets a password from elsewhere: `args.password`, `getpass()`.
pub(super) fn is_expression(text: &str) -> bool {
    let path = text.split(['(', '[']).next().unwrap_or_default();
    let is_path = path.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b':' | b')'));
    let lower = path.to_ascii_lowercase();
    is_path
        && (path.len() < text.len()
            || path.contains(['_', '.', ':', ')'])
            || lower.contains("pass")
            || lower.contains("pwd"))
}
