//! Counts tokens as `o200k_base` does, the encoding of `OpenAI`'s models. Other models' counts differ by some per cent.

/// Of a text longer than its bound, so many characters for each token are looked at. A token has four on average;
/// only runs of blanks and the like come to more than this.
pub(crate) const WIDEST: usize = 16;

/// Whether `text` has more than `most` tokens; looks at none of them where the length alone tells.
pub(crate) fn exceed(text: &str, most: usize) -> bool {
    // No token is empty.
    text.len() > most && count(text) > most
}

/// The tokens of `text`; text that looks like a special token counts as the text it is.
#[cfg(feature = "tokens")]
pub(crate) fn count(text: &str) -> usize {
    pieces(text).map(count_piece).sum()
}

/// Never asked: without the feature nobody can set a limit in tokens. No text has more tokens than bytes.
#[cfg(not(feature = "tokens"))]
pub(crate) fn count(text: &str) -> usize {
    text.len()
}

#[cfg(feature = "tokens")]
fn count_piece(text: &str) -> usize {
    let encoding = tiktoken_rs::o200k_base_singleton();
    // It gives up with a panic on runs of blanks that are longer than our pieces; should it find another reason,
    // a text seems longer than it is, and is cut.
    crate::contain::call(|| encoding.count_ordinary(text)).unwrap_or(text.len())
}

/// Bytes.
#[cfg(feature = "tokens")]
const PIECE: usize = 128 * 1024;

/// A long text in pieces, parted before a blank between letters, where no token goes across; anywhere, where there
/// is no such place.
#[cfg(feature = "tokens")]
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = rest.split_at(part(rest));
        rest = after;
        Some(piece)
    })
}

#[cfg(feature = "tokens")]
fn part(text: &str) -> usize {
    if text.len() <= PIECE {
        return text.len();
    }
    let is_place = |bytes: &[u8]| bytes[0].is_ascii_lowercase() && bytes[1] == b' ' && bytes[2].is_ascii_alphabetic();
    let found = text.as_bytes()[PIECE / 2..PIECE].windows(3).rposition(is_place);
    found.map_or_else(|| crate::cut::boundary(text, PIECE), |at| PIECE / 2 + at + 1)
}

#[cfg(all(test, feature = "tokens"))]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_as_many_tokens_as_the_whole() {
        let whole = |text: &str| tiktoken_rs::o200k_base_singleton().count_ordinary(text);
        for text in ["The quick brown fox, it's jumping. ", "{\"key\": \"some value\", \"n\": 12345}\n"] {
            let text = text.repeat(12_000);
            assert!(pieces(&text).count() > 1);
            assert_eq!(pieces(&text).collect::<String>(), text);
            assert_eq!(count(&text), whole(&text));
        }
        assert_eq!(count("<|endoftext|>"), whole("<|endoftext|>"));
        assert_eq!(count(""), 0);
    }

    #[test]
    fn nothing_is_too_long_to_be_counted() {
        for unit in [" ", "\n", "x", "漢", "🦀"] {
            let text = unit.repeat(200_000);
            let tokens = count(&text);
            assert!((1..=text.len()).contains(&tokens), "{unit:?} {tokens}");
        }
    }
}
