//! Terminal control sequences (ECMA-48), in their 7-bit and 8-bit forms.

use super::steps::tick;

/// Length in bytes of the control sequence that `rest` begins with, 0 if it begins with none. One that
/// does not end properly is its introducer only, so that it never swallows the text behind it. So is an 8-bit one
/// with a quote or a backslash in it: JSON strings may hold it as it is, and it must not reach beyond their end.
pub(super) fn length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    match bytes {
        [0x1b, b'[', ..] => control(bytes),
        [0xc2, 0x9b, ..] => inside_string(bytes, control(bytes)),
        [0x1b, b']' | b'P' | b'X' | b'^' | b'_', ..] => string(bytes),
        [0xc2, 0x9d | 0x90 | 0x98 | 0x9e | 0x9f, ..] => inside_string(bytes, string(bytes)),
        [0x1b, ..] => escape(bytes),
        _ => 0,
    }
}

/// Bytes of every introducer but that of short escapes, 7-bit or 8-bit.
const INTRODUCER: usize = 2;

/// `length`, unless what is that long reaches beyond a JSON string. No such string holds a 7-bit terminator.
fn inside_string(bytes: &[u8], length: usize) -> usize {
    let sequence = &bytes[..length];
    let sequence = sequence.strip_suffix(b"\x1b\\").unwrap_or(sequence);
    if memchr::memchr2(b'"', b'\\', sequence).is_some() { INTRODUCER } else { length }
}

/// Parameters, intermediates, one final byte.
fn control(bytes: &[u8]) -> usize {
    let parameters = run(&bytes[INTRODUCER..], 0x30..=0x3f);
    let intermediates = run(&bytes[INTRODUCER + parameters..], 0x20..=0x2f);
    let end = INTRODUCER + parameters + intermediates;
    match bytes.get(end) {
        Some(0x40..=0x7e) => end + 1,
        _ => INTRODUCER,
    }
}

/// Text up to BEL or ST on the same line. Another control character before that, and it is unterminated.
fn string(bytes: &[u8]) -> usize {
    let mut at = INTRODUCER;
    loop {
        tick();
        match &bytes[at..] {
            [0x07, ..] => return at + 1,
            [0x1b, b'\\', ..] | [0xc2, 0x9c, ..] => return at + 2,
            [] | [0xc2, 0x80..=0x9f, ..] => return INTRODUCER,
            [byte, ..] if (*byte < 0x20 && *byte != b'\t') || *byte == 0x7f => return INTRODUCER,
            _ => at += 1,
        }
    }
}

/// `ESC`, intermediates, one final byte.
fn escape(bytes: &[u8]) -> usize {
    let end = 1 + run(&bytes[1..], 0x20..=0x2f);
    match bytes.get(end) {
        Some(0x30..=0x7e) => end + 1,
        _ => 1,
    }
}

fn run(bytes: &[u8], range: std::ops::RangeInclusive<u8>) -> usize {
    bytes
        .iter()
        .take_while(|byte| {
            tick();
            range.contains(byte)
        })
        .count()
}
