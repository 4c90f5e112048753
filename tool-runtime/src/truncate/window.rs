//! Both ends of a text that streams by.

use crate::{
    cut::{self, Style},
    stream::Ends,
};

/// Holds what a cut to `limit` characters can show: the first `limit` characters, and of the rest the end.
pub(crate) struct Window {
    limit: usize,
    style: Style,
    /// The first [`Style::longest_head`] characters.
    head: String,
    /// Of what follows, at least the characters that a cut has to see.
    rest: String,
    /// Characters that have gone by.
    chars: usize,
}

impl Window {
    pub(crate) fn new(limit: usize, style: Style) -> Self {
        Self { limit, style, head: String::new(), rest: String::new(), chars: 0 }
    }

    pub(crate) fn chars(&self) -> usize {
        self.chars
    }

    /// The first characters: the whole text as long as that is within the limit.
    pub(crate) fn head(&self) -> &str {
        &self.head
    }

    pub(crate) fn is_over(&self) -> bool {
        self.chars > self.limit
    }

    /// Whether `chars` more are too many.
    pub(crate) fn overflows_with(&self, chars: usize) -> bool {
        self.chars + chars > self.limit
    }

    /// Takes the next piece of the text, of `chars` characters.
    pub(crate) fn push(&mut self, piece: &str, chars: usize) {
        let room = self.style.longest_head(self.limit).saturating_sub(self.chars);
        self.chars += chars;
        if chars <= room {
            self.head.push_str(piece);
            return;
        }
        let (first, rest) = piece.split_at(cut::offset(piece, room));
        self.head.push_str(first);
        self.push_rest(rest);
    }

    fn push_rest(&mut self, piece: &str) {
        // Bytes, because they need no counting; a character has four at most.
        let keep = self.style.longest_tail(self.limit).saturating_mul(4);
        let piece = last_bytes(piece, keep);
        if self.rest.len() + piece.len() > keep.saturating_mul(2) {
            let stay = last_bytes(&self.rest, keep - piece.len().min(keep)).len();
            self.rest.drain(..self.rest.len() - stay);
        }
        self.rest.push_str(piece);
    }

    /// The text as it is shown within `limit` characters, which are not more than this window's.
    pub(crate) fn show(&self, limit: usize) -> String {
        cut::join(&self.head, &self.rest, self.chars, limit, self.style)
    }

    /// What is left once the text has gone by.
    pub(crate) fn into_ends(self) -> Ends {
        let Self { limit, head, rest, chars, .. } = self;
        Ends { head, rest, chars, limit, hidden: false }
    }

    /// The whole text, where that is within the limit.
    pub(crate) fn into_head(self) -> String {
        self.head
    }
}

/// The end of `text`: `bytes` bytes, or up to three more to begin with a whole character.
fn last_bytes(text: &str, bytes: usize) -> &str {
    &text[cut::boundary(text, text.len().saturating_sub(bytes))..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{cut::Ends, policy::Snap};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn a_stream_is_cut_like_the_whole(
            pieces in proptest::collection::vec("[a-z é漢🦀\r\n\u{301}]{0,40}", 0..30),
            limit in 0_usize..200,
            head_only in any::<bool>(),
            snap in any::<usize>(),
            narrow in 0_usize..200,
        ) {
            let ends = if head_only { Ends::Head } else { Ends::HeadTail };
            let snaps = [
                Snap::Chars,
                Snap::Lines,
                #[cfg(feature = "graphemes")]
                Snap::Graphemes,
            ];
            let style = Style { ends, snap: snaps[snap % snaps.len()] };
            let whole = pieces.concat();
            let mut window = Window::new(limit, style);
            let mut widest = 0;
            for piece in &pieces {
                let chars = cut::count(piece);
                prop_assert_eq!(window.overflows_with(chars), window.chars() + chars > limit);
                window.push(piece, chars);
                widest = widest.max(window.rest.len());
            }
            let original = whole.chars().count();
            prop_assert_eq!(window.chars(), original);
            for limit in [limit, narrow.min(limit)] {
                let cut = cut::cut(&whole, original, limit, style);
                prop_assert!(cut::count(&cut) <= limit.max(original.min(limit)));
                prop_assert_eq!(window.show(limit), cut);
            }
            prop_assert!(widest <= 4 * (limit + 1) + 8 + 8 * 256, "{} bytes for {} characters", widest, limit);
        }
    }

    #[test]
    fn one_long_piece_costs_no_copy_of_it() {
        let mut window = Window::new(100, Style { ends: Ends::HeadTail, snap: Snap::Chars });
        let text = "🦀".repeat(100_000);
        window.push(&text, 100_000);
        assert!(window.head.capacity() + window.rest.capacity() < 2_000);
    }
}
