//! Pieces by characters, of bytes that are read by ranges.
//!
//! Every byte counts as a character that does not go on with one, so that offsets mean something in bytes that are no
//! UTF-8 too.

use super::open::Open;
use crate::{error::ToolError, excerpt::Excerpt};

/// No character takes more bytes.
const WIDEST: u64 = 4;

impl Open<'_> {
    /// At most `chars` characters and `lines` lines from character `offset` on.
    pub(super) fn from(&self, offset: u64, chars: usize, lines: Option<usize>) -> Result<Excerpt, ToolError> {
        let at = match self.locate(offset)? {
            Place::At(byte) => byte,
            Place::Beyond(length) => {
                let id = &self.id;
                let message = format_args!("offset {offset} is past the end: `{id}` has {length} characters");
                return Err(ToolError::new(message));
            }
        };
        let mut bytes = self.bytes(at..at.saturating_add((chars as u64).saturating_mul(WIDEST)))?;
        bytes.truncate(nth(&bytes, chars).unwrap_or(bytes.len()));
        if let Some(end) = lines.and_then(|lines| memchr::memchr_iter(b'\n', &bytes).nth(lines.saturating_sub(1))) {
            bytes.truncate(end + 1);
        }
        let is_end = at + bytes.len() as u64 >= self.size;
        Ok(self.excerpt(Some(offset), is_end, &bytes))
    }

    /// The last of them.
    pub(super) fn last(&self, chars: usize, lines: Option<usize>) -> Result<Excerpt, ToolError> {
        let from = self.size.saturating_sub((chars as u64).saturating_mul(WIDEST));
        let bytes = self.bytes(from..self.size)?;
        let count = bytecount::num_chars(&bytes);
        let mut bytes = match nth(&bytes, count.saturating_sub(chars)) {
            // Whatever comes before the first character belongs to one that is not shown.
            Some(begin) if from > 0 || count > chars => &bytes[begin..],
            _ => &bytes[..],
        };
        if let Some(lines) = lines {
            // A line break at the very end begins no line.
            let ends = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            if let Some(before) = memchr::memrchr_iter(b'\n', ends).nth(lines.saturating_sub(1)) {
                bytes = &bytes[before + 1..];
            }
        }
        let offset = self.chars.map(|chars| chars.saturating_sub(bytecount::num_chars(bytes) as u64));
        Ok(self.excerpt(offset, true, bytes))
    }

    /// `offset` is that of the first character, where it is known.
    fn excerpt(&self, offset: Option<u64>, is_end: bool, bytes: &[u8]) -> Excerpt {
        let count = bytecount::num_chars(bytes) as u64;
        let id = &self.id;
        let title = match offset {
            None => format!("{id}: the last {count} characters"),
            Some(from) => {
                let to = from + count;
                let total = self.chars.or(is_end.then_some(to)).map(|total| format!(" of {total}")).unwrap_or_default();
                let next = if is_end { "the end".to_owned() } else { format!("continues at offset {to}") };
                format!("{id}: characters {from} to {to}{total}; {next}")
            }
        };
        Excerpt { title: Some(title), text: String::from_utf8_lossy(bytes).into_owned(), trust: self.trust }
    }

    fn locate(&self, offset: u64) -> Result<Place, ToolError> {
        if offset == 0 {
            return Ok(Place::At(0));
        }
        if self.chars == Some(self.size) {
            // One byte each.
            return Ok(if offset < self.size { Place::At(offset) } else { Place::Beyond(self.size) });
        }
        let mut seen = 0;
        for piece in self.pieces() {
            let (begin, bytes) = piece?;
            let count = bytecount::num_chars(&bytes) as u64;
            if seen + count > offset {
                // Both lie within the piece.
                let within = usize::try_from(offset - seen).unwrap_or_default();
                return Ok(Place::At(begin + nth(&bytes, within).unwrap_or_default() as u64));
            }
            seen += count;
        }
        Ok(Place::Beyond(seen))
    }
}

/// Where a character is.
enum Place {
    /// At this byte.
    At(u64),
    /// Nowhere; there are so many.
    Beyond(u64),
}

/// Where the character begins before which there are `chars`.
fn nth(bytes: &[u8], chars: usize) -> Option<usize> {
    bytes.iter().enumerate().filter(|(_, byte)| is_first(**byte)).map(|(at, _)| at).nth(chars)
}

/// Whether the byte begins a character.
pub(super) fn is_first(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}
