//! Control tokens of chat templates. Tokenisers know them by their exact spelling, so escapes and
//! lookalikes are none, but for the full-width forms that are in use.

use super::{chars::Chars, steps::tick};

/// Behind `<`, by their first character. Ordinary HTML elements (`<s>`, `<mask>`) are not among them,
/// though some templates use those.
const ANGLED: &[(char, &[&str])] = &[
    ('/', &["tool_call>", "tool_response>", "think>"]),
    ('<', &["SYS>", "/SYS>"]),
    ('B', &["OS_TOKEN>"]),
    ('E', &["OS_TOKEN>"]),
    ('b', &["os>"]),
    ('e', &["nd_of_turn>", "nd_of_utterance>", "os>"]),
    ('s', &["tart_of_turn>", "tart_of_image>"]),
    ('t', &["ool_call>", "ool_response>", "hink>"]),
];

/// Behind `[`.
const SQUARE: &[(char, &[&str])] = &[
    ('/', &["INST]", "SYSTEM_PROMPT]", "AVAILABLE_TOOLS]", "TOOL_RESULTS]"]),
    ('A', &["VAILABLE_TOOLS]"]),
    ('I', &["NST]"]),
    ('S', &["YSTEM_PROMPT]"]),
    ('T', &["OOL_CALLS]", "OOL_RESULTS]", "OOL_CONTENT]"]),
    ('g', &["MASK]"]),
];

/// Whether `bracket`, with `chars` behind it, begins a token.
pub(super) fn begins(bracket: char, mut chars: Chars<'_>) -> bool {
    let words = match bracket {
        '<' | '＜' => ANGLED,
        '[' => SQUARE,
        _ => return false,
    };
    match chars.visible() {
        Some('|') => bracket != '[' && piped(chars),
        Some(first) => {
            let words = words.iter().find(|(initial, _)| *initial == first);
            words.is_some_and(|(_, words)| words.iter().any(|word| spells(chars, word)))
        }
        None => false,
    }
}

/// `identifier|>`; some vendors write full-width bars, and `▁` for spaces.
fn piped(mut chars: Chars<'_>) -> bool {
    let mut length = 0;
    loop {
        tick();
        match chars.visible() {
            Some(c) if c.is_alphanumeric() || matches!(c, '_' | '▁' | '-' | '/' | ':') => length += 1,
            Some('|') => return length > 0 && chars.visible() == Some('>'),
            _ => return false,
        }
    }
}

fn spells(mut chars: Chars<'_>, word: &str) -> bool {
    word.chars().all(|expected| {
        tick();
        chars.visible() == Some(expected)
    })
}
