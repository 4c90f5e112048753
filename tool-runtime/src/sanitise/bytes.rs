//! What bytes tell before anybody decodes them: most of a text is gone over here.

use super::{invisible, lookalikes};

/// A control character other than tab and line feed, or a part of a character beyond ASCII.
#[expect(clippy::needless_bitwise_bool, reason = "no branches, so that a loop over it becomes vector instructions")]
pub(super) fn is_hot(byte: u8) -> bool {
    (byte.wrapping_sub(b' ') > b'~' - b' ') & (byte != b'\n') & (byte != b'\t')
}

/// The first such byte, found in blocks that the compiler turns into vector instructions.
pub(super) fn next_hot(bytes: &[u8], from: usize, until: usize) -> Option<usize> {
    const BLOCK: usize = 64;
    let mut at = from;
    for block in bytes[from..until].chunks(BLOCK) {
        if block.iter().fold(false, |any, byte| any | is_hot(*byte)) {
            return block.iter().position(|byte| is_hot(*byte)).map(|place| at + place);
        }
        at += block.len();
    }
    None
}

/// What a byte can be in a marker, before its `x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// No bracket, no part of an escape, and nothing that may stand between bracket and name.
    None,
    Space,
    Word,
    /// A bracket or the beginning of an escape, or beyond ASCII, where there are more of them.
    Beginning,
    Other,
}

pub(super) fn part(byte: u8) -> Part {
    PARTS[byte as usize]
}

static PARTS: [Part; 256] = parts();

const fn parts() -> [Part; 256] {
    let mut parts = [Part::Other; 256];
    let mut byte = 0_u8;
    loop {
        parts[byte as usize] = match byte {
            b',' | b')' | b']' | b'~' => Part::None,
            b' ' | b'\n' | b'\t' => Part::Space,
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => Part::Word,
            b'<' | b'[' | b'{' | b'(' | b'&' | b'%' | b'=' | b'+' | b'\\' | 0x80.. => Part::Beginning,
            _ => Part::Other,
        };
        if byte == u8::MAX {
            return parts;
        }
        byte += 1;
    }
}

/// Whether `bytes` may begin with an escape that matters or with a chat-template token.
pub(super) fn may_matter(bytes: &[u8]) -> bool {
    let [first, second, rest @ ..] = bytes else { return false };
    let third = rest.first().copied().unwrap_or(b' ');
    is_hot(*second)
        || match (first, second) {
            (b'&', next) => b"#abceknptx".contains(&next.to_ascii_lowercase()),
            (b'%', next) => next.is_ascii_hexdigit() || matches!(next, b'u' | b'U'),
            (b'[', next) => matches!(next, b'/' | b'A' | b'C' | b'I' | b'S' | b'T' | b'g'),
            (_, b'|' | b'<') => true,
            (_, b'/' | b's') => matches!(third, b't' | b'f') || is_hot(third),
            (_, b'f') => matches!(third, b'i' | b'u') || is_hot(third),
            (_, b'B' | b'E') => third == b'O' || is_hot(third),
            (_, b'b' | b'e' | b't') => matches!(third, b'o' | b'n' | b'h') || is_hot(third),
            _ => false,
        }
}

/// Length of the escape that `bytes` begins with, if it is a usual one of JSON for a character that needs
/// no look, or an equals sign that begins none; else 0.
pub(super) fn quiet_escape(bytes: &[u8]) -> usize {
    match bytes {
        [b'=', ..] => quiet_equals(bytes),
        [_, b'"' | b'n' | b't' | b'r' | b'/', ..] => 2,
        [_, b'u', digits @ ..] => {
            let code = digits.get(..4).and_then(hexadecimal);
            if code.is_some_and(is_quiet) { 6 } else { 0 }
        }
        _ => 0,
    }
}

/// The same for `=`, which begins an escape of quoted-printable text where a byte follows.
fn quiet_equals(bytes: &[u8]) -> usize {
    let loud = match bytes {
        [_, first, ..] if is_hot(*first) => true,
        [_, first, second, ..] if is_hot(*second) => first.is_ascii_hexdigit(),
        [_, first, second, rest @ ..] => match hexadecimal(&[*first, *second]) {
            // `x`, what begins another escape, and the multiplication sign.
            Some(0x58 | 0x78 | 0x25 | 0x26 | 0x3d | 0x5c | 0xd7) => true,
            // The beginning of a character beyond ASCII.
            Some(0xc2..) => rest.first().is_some_and(|next| *next == b'=' || is_hot(*next)),
            _ => false,
        },
        _ => false,
    };
    usize::from(!loud)
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |code, digit| {
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            b'A'..=b'F' => digit - b'A' + 10,
            _ => return None,
        };
        Some(code << 4 | u32::from(digit))
    })
}

/// Length of the character beyond ASCII that `bytes` begins with, if it needs no look; else 0.
pub(super) fn quiet_length(bytes: &[u8]) -> usize {
    let (code, length) = match bytes {
        [first @ 0xc2..=0xdf, second, ..] => (u32::from(first & 0x1f) << 6 | u32::from(second & 0x3f), 2),
        // The last byte does not matter: it is the place in the block.
        [first @ 0xe0..=0xef, second, ..] => (u32::from(first & 0x0f) << 12 | u32::from(second & 0x3f) << 6, 3),
        _ => return 0,
    };
    if is_quiet(code) { length } else { 0 }
}

/// Whether the character needs no look; from U+0800 on, whether nothing in its block of 64 does.
fn is_quiet(code: u32) -> bool {
    let (map, place): (&[u64], u32) = if code < 0x800 { (&LOUD.chars, code) } else { (&LOUD.blocks, code / 64) };
    map.get(place as usize / 64).is_some_and(|bits| bits >> (place % 64) & 1 == 0)
}

/// A bit for each character that needs a look: removed, an `x`, or part of an escape or token.
struct Loud {
    /// Up to U+07FF.
    chars: [u64; 32],
    /// Blocks of 64 of the Basic Multilingual Plane.
    blocks: [u64; 16],
}

static LOUD: Loud = loud();

const fn loud() -> Loud {
    let mut loud = Loud { chars: [0; 32], blocks: [0; 16] };
    let others = [
        (0, 0x1f),
        (b'%' as u32, b'&' as u32),
        (b'=' as u32, b'=' as u32),
        (b'\\' as u32, b'\\' as u32),
        (b'X' as u32, b'X' as u32),
        (b'x' as u32, b'x' as u32),
        (0x7f, 0x9f),
        // Small and full-width forms, and two other backslashes.
        (0xfe50, 0xfe6f),
        (0xff01, 0xff5e),
        (0x2216, 0x2216),
        (0x29f5, 0x29f5),
        // Enclosed letters.
        (0x249c, 0x24e9),
        // Halves of what an escape spells in two.
        (0xd800, 0xdfff),
    ];
    let mut index = 0;
    while index < others.len() {
        loud.mark(others[index].0, others[index].1);
        index += 1;
    }
    index = 0;
    while index < invisible::HIDDEN.len() {
        loud.mark(invisible::HIDDEN[index].0, invisible::HIDDEN[index].1);
        index += 1;
    }
    index = 0;
    while index < lookalikes::LOOKALIKES.len() {
        let (first, last, letter) = lookalikes::LOOKALIKES[index];
        if letter == b'x' {
            loud.mark(first, last);
        }
        index += 1;
    }
    loud
}

impl Loud {
    const fn mark(&mut self, first: u32, last: u32) {
        let mut code = first;
        while code <= last && code < 0x800 {
            self.chars[code as usize / 64] |= 1 << (code % 64);
            code += 1;
        }
        let mut block = first / 64;
        while block <= last / 64 && block < 1024 {
            self.blocks[block as usize / 64] |= 1 << (block % 64);
            block += 1;
        }
    }
}
