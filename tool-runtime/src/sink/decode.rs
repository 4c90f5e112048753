//! Bytes as text, block by block; what is not UTF-8 shows as U+FFFD.

/// Holds the beginning of a character that a block ended in.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    begun: Vec<u8>,
}

impl Decoder {
    pub(super) fn feed(&mut self, block: &[u8], push: &mut dyn FnMut(&str)) {
        let joined;
        let block = if self.begun.is_empty() {
            block
        } else {
            joined = [&self.begun, block].concat();
            &joined
        };
        let mut end = block.len();
        let mut chunks = block.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            if !chunk.valid().is_empty() {
                push(chunk.valid());
            }
            let invalid = chunk.invalid();
            if chunks.peek().is_none() && may_go_on(invalid) {
                end -= invalid.len();
            } else if !invalid.is_empty() {
                push(LOST);
            }
        }
        self.begun = block[end..].to_vec();
    }

    pub(super) fn finish(&mut self, push: &mut dyn FnMut(&str)) {
        if !std::mem::take(&mut self.begun).is_empty() {
            push(LOST);
        }
    }
}

const LOST: &str = "\u{fffd}";

/// Whether bytes behind them could make a character of these.
fn may_go_on(invalid: &[u8]) -> bool {
    std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn blocks_are_decoded_like_the_whole(
            pieces in prop::collection::vec(
                prop::sample::select(vec![&b"a"[..], "é".as_bytes(), "漢".as_bytes(), "🦀".as_bytes(), b"\xe6\xbc", b"\xff", b"\xf0\x9f", b"\x80"]),
                0..30,
            ),
            length in 1_usize..9,
        ) {
            let bytes = pieces.concat();
            let (mut decoder, mut out) = (Decoder::default(), String::new());
            for block in bytes.chunks(length) {
                decoder.feed(block, &mut |text| out.push_str(text));
            }
            decoder.finish(&mut |text| out.push_str(text));
            prop_assert_eq!(out, String::from_utf8_lossy(&bytes));
        }
    }
}
