//! From a limit in tokens to one in characters.

/// What `cut` makes of the largest limit, up to `most` characters, that leaves at most `tokens` tokens.
///
/// `cut` never gives more characters than it is allowed. Tokens grow with the text but for a few at the seams, so there is one such limit, or a handful side by side.
pub(crate) fn largest<T>(most: usize, tokens: usize, cut: impl Fn(usize) -> T, count: impl Fn(&T) -> usize) -> T {
    // A character has four bytes at most, and a token one at least: this much always fits.
    let mut low = (tokens / 4).min(most);
    let mut best = cut(low);
    let mut above = most + 1;
    // A token of English or code has about four characters.
    let mut guess = tokens.saturating_mul(4);
    let mut halve = false;
    while low + 1 < above {
        let limit = guess.clamp(low + 1, above - 1);
        let shown = cut(limit);
        let found = count(&shown);
        if found > tokens {
            above = limit;
        } else {
            (low, best) = (limit, shown);
        }
        guess = if halve { low + (above - low) / 2 } else { proportional(limit, tokens, found) };
        halve = !halve;
    }
    best
}

/// Where the text would have to be cut if every character cost the same.
fn proportional(limit: usize, tokens: usize, found: usize) -> usize {
    limit.saturating_mul(tokens) / found.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens;

    /// Without the feature a token is a byte, which is as good for the search itself.
    #[test]
    fn one_more_would_be_too_many() {
        let text = "one two three ".repeat(100);
        for tokens in 0..200 {
            let shown = largest(text.len(), tokens, |limit| text[..limit].to_owned(), |shown| tokens::count(shown));
            assert!(tokens::count(&shown) <= tokens);
            assert!(tokens::count(&text[..=shown.len()]) > tokens, "{tokens}");
        }
    }

    #[test]
    fn a_text_that_fits_is_shown_to_the_last_character() {
        for most in 0..20 {
            assert_eq!(largest(most, 1_000, |limit| "x".repeat(limit), |shown| tokens::count(shown)).len(), most);
        }
    }
}
