//! Control tokens of chat templates. Tokenisers know them by their exact spelling, so escapes and
//! lookalikes are none, but for the full-width forms that are in use.

use super::{chars::Chars, steps::tick};

/// Behind `<`, by their first character. Ordinary HTML elements (`<s>`, `<mask>`) are not among them,
/// though some templates use those.
const ANGLED: &[(char, &[&str])] = &[
    (
        '/',
        &[
            "tool_call>",
            "tool_calls>",
            "tool_response>",
            "tool_result>",
            "function_calls>",
            "function_results>",
            "think>",
        ],
    ),
    ('<', &["SYS>", "/SYS>"]),
    ('B', &["OS_TOKEN>"]),
    ('E', &["OS_TOKEN>"]),
    ('b', &["os>"]),
    ('e', &["nd_of_turn>", "nd_of_utterance>", "nd_function_call>", "nd_function_response>", "nd_of_image>", "os>"]),
    ('f', &["im_prefix>", "im_middle>", "im_suffix>", "unction_calls>", "unction_results>"]),
    ('s', &["tart_of_turn>", "tart_of_image>", "tart_function_call>", "tart_function_response>"]),
    ('t', &["ool_call>", "ool_calls>", "ool_response>", "ool_result>", "hink>"]),
];

/// Behind `[`. `[ARGS]` stands in every other usage line, and `[IMG]` in forum posts.
const SQUARE: &[(char, &[&str])] = &[
    ('/', &["INST]", "SYSTEM_PROMPT]", "AVAILABLE_TOOLS]", "TOOL_RESULTS]", "THINK]"]),
    ('A', &["VAILABLE_TOOLS]"]),
    ('C', &["ALL_ID]"]),
    ('I', &["NST]", "MG_BREAK]", "MG_END]"]),
    ('S', &["YSTEM_PROMPT]"]),
    ('T', &["OOL_CALLS]", "OOL_RESULTS]", "OOL_CONTENT]", "HINK]"]),
    ('g', &["MASK]"]),
];

/// `<`, or what vendors and quotations write for it.
pub(super) fn is_angle(c: char) -> bool {
    matches!(c, '<' | '＜' | '﹤' | '‹')
}

pub(super) fn is_angle_end(c: char) -> bool {
    matches!(c, '>' | '＞' | '﹥' | '›')
}

pub(super) fn is_bar(c: char) -> bool {
    matches!(c, '|' | '｜' | '│' | '∣' | '❘' | 'ǀ')
}

/// Whether `bracket`, with `chars` behind it, begins a token.
pub(super) fn begins(bracket: char, mut chars: Chars<'_>) -> bool {
    let words = match bracket {
        _ if is_angle(bracket) => ANGLED,
        '[' => SQUARE,
        _ => return false,
    };
    match chars.visible() {
        Some(bar) if is_bar(bar) => bracket != '[' && piped(chars),
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
            Some(bar) if is_bar(bar) => return length > 0 && chars.visible().is_some_and(is_angle_end),
            Some(c) if c.is_alphanumeric() || matches!(c, '_' | '▁' | '-' | '/' | ':') => length += 1,
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
