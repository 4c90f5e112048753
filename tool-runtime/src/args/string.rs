//! JSON strings that the scan has already found valid.

use std::borrow::Cow;

/// The text of a string, given what stands between its quotes.
pub(super) fn unescape(raw: &str) -> Cow<'_, str> {
    if raw.contains('\\') { Cow::Owned(Characters(raw).collect()) } else { Cow::Borrowed(raw) }
}

/// Whether two strings have the same text, without building it.
pub(super) fn same_text(a: &str, b: &str) -> bool {
    a == b || ((a.contains('\\') || b.contains('\\')) && Characters(a).eq(Characters(b)))
}

/// `text` as a JSON string, with its quotes.
pub(super) fn quote(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{0}'..='\u{1f}' => {
                const HEX: [char; 16] =
                    ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
                let code = character as usize;
                out.push_str("\\u00");
                out.push(HEX[code >> 4]);
                out.push(HEX[code & 15]);
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}

/// The characters of a string, escapes resolved.
struct Characters<'t>(&'t str);

impl Iterator for Characters<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let mut rest = self.0.chars();
        let mut character = rest.next()?;
        if character == '\\' {
            character = match rest.next()? {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    let high = hex(rest.by_ref());
                    let code = if (0xd800..0xdc00).contains(&high) {
                        let low = hex(rest.by_ref().skip(2));
                        0x1_0000 + ((high - 0xd800) << 10) + low.saturating_sub(0xdc00)
                    } else {
                        high
                    };
                    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
                }
                same => same,
            };
        }
        self.0 = rest.as_str();
        Some(character)
    }
}

fn hex(digits: impl Iterator<Item = char>) -> u32 {
    digits.take(4).fold(0, |code, digit| code * 16 + digit.to_digit(16).unwrap_or(0))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fmt::Write;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn unescaping_agrees_with_serde_json(text in any::<String>()) {
            let quoted = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(unescape(&quoted[1..quoted.len() - 1]), text.as_str());
            let mut utf16 = String::new();
            for unit in text.encode_utf16() {
                write!(utf16, "\\u{unit:04x}").unwrap();
            }
            prop_assert_eq!(unescape(&utf16), text.as_str());
            prop_assert!(same_text(&utf16, &quoted[1..quoted.len() - 1]));
            let mut ours = String::new();
            quote(&text, &mut ours);
            prop_assert_eq!(serde_json::from_str::<String>(&ours).unwrap(), text);
        }
    }
}
