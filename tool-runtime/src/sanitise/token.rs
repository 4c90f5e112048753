//! Control tokens of chat templates. Tokenisers know them by their exact spelling, so escapes and
//! lookalikes are none, but for the full-width forms that are in use.

use super::{escape::Chars, steps::tick};

/// Behind `<`. Ordinary HTML elements (`<s>`, `<mask>`) are not among them, though some templates use those.
const ANGLED: &[&str] = &[
    "start_of_turn>",
    "end_of_turn>",
    "start_of_image>",
    "end_of_utterance>",
    "bos>",
    "eos>",
    "BOS_TOKEN>",
    "EOS_TOKEN>",
    "tool_call>",
    "/tool_call>",
    "tool_response>",
    "/tool_response>",
    "think>",
    "/think>",
    "<SYS>",
    "</SYS>",
];

/// Behind `[`.
const SQUARE: &[&str] = &[
    "INST]",
    "/INST]",
    "SYSTEM_PROMPT]",
    "/SYSTEM_PROMPT]",
    "AVAILABLE_TOOLS]",
    "/AVAILABLE_TOOLS]",
    "TOOL_CALLS]",
    "TOOL_RESULTS]",
    "/TOOL_RESULTS]",
    "TOOL_CONTENT]",
    "gMASK]",
];

/// Whether `bracket`, with `chars` behind it, begins a token.
pub(super) fn begins(bracket: char, mut chars: Chars<'_>) -> bool {
    let words = match bracket {
        '<' | '＜' => ANGLED,
        '[' => SQUARE,
        _ => return false,
    };
    let Some(first) = chars.visible() else { return false };
    (first == '|' && words == ANGLED && piped(chars))
        || words.iter().any(|word| word.strip_prefix(first).is_some_and(|rest| spells(chars, rest)))
}

/// `identifier|>`, where DeepSeek writes full-width bars and `▁` for spaces.
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
