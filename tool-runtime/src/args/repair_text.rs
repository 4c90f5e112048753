//! Repairs of the text as a whole, for what models wrap round their JSON or write as in another language. Nothing
//! that is missing is ever added: text that was cut off stays cut off.

use std::borrow::Cow;

use super::{
    members::Members,
    scan::{self, Fault},
    string::{quote, unescape},
};

/// Encodings of the whole object that are undone.
const MAX_UNWRAPPED: usize = 2;
/// Repairs in a row: each reads the whole text, and wrappings round wrappings would make that quadratic.
const MAX_REPAIRS: usize = 8;
/// Characters between the `<|` and the `|>` of a control token.
const MAX_TOKEN_NAME: usize = 32;
/// What else chat templates end a call or a turn with.
const CLOSING_TOKENS: [&str; 7] =
    ["</tool_call>", "</tool_calls>", "</function_call>", "<end_function_call>", "<end_of_turn>", "<eos>", "</s>"];

/// Text that is one JSON object, and how it came to be; else the fault that stays.
pub(super) fn text(given: &str, fault: Fault, depth: usize) -> Result<(String, Vec<String>), Fault> {
    let mut text = given.trim().to_owned();
    let mut notes = Vec::new();
    let mut last = fault;
    let mut unwrapped = 0;
    let mut is_rewritten = false;
    for _ in 0..MAX_REPAIRS {
        let (next, note) = match &last {
            Fault::NotAnObject("string") if unwrapped < MAX_UNWRAPPED => {
                unwrapped += 1;
                let Some(inner) = unwrap(&text) else { return Err(fault) };
                (inner, "unwrapped JSON string")
            }
            Fault::Invalid { .. } => {
                if let Some(rest) = without_control_tokens(&text) {
                    (rest.to_owned(), "stripped trailing control token")
                } else if let Some(inner) = without_fence(&text) {
                    (inner.to_owned(), "stripped code fence")
                } else if text.starts_with("```") {
                    let body = text.split_once('\n').map_or("", |(_, body)| body);
                    let is_cut = scan::scan(body, depth, &mut Members::new()) == Err(Fault::CutOff);
                    return Err(if is_cut && !body.trim().is_empty() { Fault::CutOff } else { fault });
                } else if is_rewritten {
                    return Err(fault);
                } else {
                    is_rewritten = true;
                    let Some(rewritten) = rewrite(&text) else { return Err(fault) };
                    (rewritten, "repaired JSON syntax")
                }
            }
            Fault::CutOff | Fault::Reserved => return Err(last),
            _ => return Err(fault),
        };
        text = next;
        if notes.last().map(String::as_str) != Some(note) {
            notes.push(note.to_owned());
        }
        match scan::scan(&text, depth, &mut Members::new()) {
            Ok(_) => return Ok((text, notes)),
            Err(fault) => last = fault,
        }
    }
    Err(fault)
}

/// What a string holds, if that may be an object or another string.
fn unwrap(text: &str) -> Option<String> {
    let inner = unescape(text.strip_prefix('"')?.strip_suffix('"')?).trim().to_owned();
    inner.starts_with(['{', '"']).then_some(inner)
}

/// The text before one `<|call|>` or several at its end.
fn without_control_tokens(text: &str) -> Option<&str> {
    let mut rest = text.trim_end();
    while let Some(before) = without_control_token(rest) {
        rest = before.trim_end();
    }
    (rest.len() < text.trim_end().len() && !rest.is_empty()).then_some(rest)
}

/// Looks at the last few bytes only, so that many tokens cost no more than their length.
fn without_control_token(text: &str) -> Option<&str> {
    if let Some(before) = CLOSING_TOKENS.iter().find_map(|token| text.strip_suffix(token)) {
        return Some(before);
    }
    // `<｜tool▁call▁end｜>` is of the same kind.
    let (inner, opening) = match text.strip_suffix("|>") {
        Some(inner) => (inner, "<|"),
        None => (text.strip_suffix("｜>")?, "<｜"),
    };
    let is_name = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '▁');
    let name: usize = inner.chars().rev().take(MAX_TOKEN_NAME).take_while(is_name).map(char::len_utf8).sum();
    inner[..inner.len() - name].strip_suffix(opening)
}

/// What stands in a code fence that is whole.
fn without_fence(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix("```")?.strip_suffix("```")?;
    let (language, body) = inner.split_once('\n')?;
    let is_language = language.trim().bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_language.then(|| body.trim())
}

/// Trailing commas, single quotes, bare keys, `True`, `False`, `None`; `None` where there are none of them. What
/// comes out is scanned like any other text, so this need not be right about what is no JSON in another way.
fn rewrite(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_changed = false;
    while let Some(character) = rest.chars().next() {
        // How much of the rest it is, and what is written for it.
        let (length, written) = match character {
            '"' => {
                let end = end_of_string(rest, '"').unwrap_or(rest.len());
                (end, Cow::Borrowed(&rest[..end]))
            }
            '\'' => {
                is_changed = true;
                let end = end_of_string(rest, '\'');
                (end.unwrap_or(rest.len()), Cow::Owned(double_quoted(rest, end)))
            }
            ',' => {
                let is_trailing = rest[1..].trim_start().starts_with(['}', ']']);
                is_changed |= is_trailing;
                (1, Cow::Borrowed(if is_trailing { "" } else { "," }))
            }
            _ if character.is_alphabetic() || character == '_' || character == '$' => {
                let (word, after) = rest.split_at(word_length(rest));
                let is_key = after.trim_start().starts_with(':') && out.trim_end().ends_with(['{', ',']);
                let written = match word {
                    _ if is_key => {
                        let mut quoted = String::new();
                        quote(word, &mut quoted);
                        Cow::Owned(quoted)
                    }
                    "True" => Cow::Borrowed("true"),
                    "False" => Cow::Borrowed("false"),
                    "None" => Cow::Borrowed("null"),
                    _ => Cow::Borrowed(word),
                };
                is_changed |= written != word;
                (word.len(), written)
            }
            // Numbers take their exponent with them.
            _ if character.is_ascii_digit() => {
                let end = word_length(rest);
                (end, Cow::Borrowed(&rest[..end]))
            }
            _ => (character.len_utf8(), Cow::Borrowed(&rest[..character.len_utf8()])),
        };
        out.push_str(&written);
        rest = &rest[length..];
    }
    is_changed.then_some(out)
}

/// Bytes of the word that the text begins with.
fn word_length(text: &str) -> usize {
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$' | '-');
    text.find(|character| !is_word(character)).unwrap_or(text.len())
}

/// Bytes up to and with the closing quote.
fn end_of_string(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if character == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The string in single quotes that `text` begins with and that ends before `end`, or not at all, as it has to be in
/// double quotes. Other escapes stay for the scan to judge.
fn double_quoted(text: &str, end: Option<usize>) -> String {
    let raw = &text[1..end.map_or(text.len(), |end| end - 1)];
    let mut out = String::from("\"");
    let mut characters = raw.chars();
    while let Some(mut character) = characters.next() {
        if character == '\\' {
            match characters.next() {
                Some('\'') => character = '\'',
                escaped => {
                    out.push('\\');
                    let Some(escaped) = escaped else { break };
                    character = escaped;
                }
            }
        } else if character == '"' {
            out.push('\\');
        }
        out.push(character);
    }
    if end.is_some() {
        out.push('"');
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn repaired(given: &str) -> Result<String, Fault> {
        let fault = scan::scan(given, 64, &mut Members::new()).unwrap_err();
        text(given, fault, 64).map(|(text, _)| text)
    }

    #[test]
    fn any_number_of_control_tokens_is_one_repair() {
        assert_eq!(repaired(r#"{"n":1}<|call|>"#).unwrap(), r#"{"n":1}"#);
        assert_eq!(repaired("{\"n\":1} <|call|>\n<|end_of_turn|> ").unwrap(), r#"{"n":1}"#);
        assert_eq!(repaired("```json\n{\"n\":1}<|call|>\n```<|end|>").unwrap(), r#"{"n":1}"#);
        let longest = "x".repeat(MAX_TOKEN_NAME);
        assert_eq!(repaired(&format!(r#"{{"n":1}}<|{longest}|>"#)).unwrap(), r#"{"n":1}"#);
        for token in ["<｜tool▁call▁end｜>", "</tool_call>", "<end_of_turn>", "</s>\n<|im_end|>"] {
            assert_eq!(repaired(&format!("{{\"n\":1}}\n{token}")).unwrap(), r#"{"n":1}"#, "{token}");
        }
        for kept in [format!(r#"{{"n":1}}<|{longest}x|>"#), r#"{"n":1}<|é|>"#.into(), "<|call|>".into(), "</s>".into()]
        {
            assert!(repaired(&kept).is_err(), "{kept}");
        }
    }

    #[test]
    fn every_repair_takes_linear_time() {
        const LENGTH: usize = 400_000;
        let long = |piece: &str| piece.repeat(LENGTH / piece.len());
        let fences = LENGTH / 8;
        let texts = [
            format!("{{\"n\":1}}{}", long("<|x|>")),
            format!("{{\"n\":1}}{}", long("|>")),
            format!("{{\"n\":1}}{}", long("</s>")),
            format!("{{\"n\":1}}{}", long("▁｜>")),
            format!("{{\"n\":1}}{}", long("<|")),
            format!("{{\"n\":1}}x{}", long(" ")),
            format!("{}{{\"n\":1}}{}", "```\n".repeat(fences), "\n```".repeat(fences)),
            format!("{{'n':1{}}}", long(",")),
            format!("{{'n':1{}}}", long(",  \n")),
            format!("{{{}}}", long("a ")),
            format!("{{{}", long("a: ")),
            format!("{{{}", long("'a\\")),
            format!("{{{}", long("'")),
            format!("{{'{}", long("\\\"")),
            format!("\"{}\"", long("\\\"")),
            format!("\"{{{}\"", long("\\\"")),
            format!("\"\\\"{}", long("\\\\")),
        ];
        for given in texts {
            let begun = Instant::now();
            let _ = repaired(&given);
            // A quadratic repair would take minutes.
            assert!(begun.elapsed() < Duration::from_secs(3), "{}", given.get(..40).unwrap());
        }
    }
}
