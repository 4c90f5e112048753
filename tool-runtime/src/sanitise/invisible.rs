//! Characters that nobody sees, and the few places where they change what is seen.

use super::{filter::Filter, unicode};

const ZWNJ: char = '\u{200c}';
const ZWJ: char = '\u{200d}';
pub(super) const BLACK_FLAG: char = '\u{1f3f4}';
const CANCEL_TAG: char = '\u{e007f}';
/// Behind the black flag: England, Scotland, Wales.
const FLAGS: [&str; 3] = [
    "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// How many bytes of `rest` stay together with its first character `c`; 0 if `c` is removed.
pub(super) fn kept(filter: Filter, rest: &str, c: char) -> usize {
    let len = c.len_utf8();
    if c == BLACK_FLAG {
        let flag = FLAGS.iter().find(|flag| rest[len..].starts_with(**flag));
        return len + flag.map_or(0, |flag| flag.len());
    }
    let stays = match c {
        ZWNJ | ZWJ => joins(filter, c, rest[len..].chars().next()),
        '\u{180b}'..='\u{180d}' | '\u{180f}' => matches!(filter.last, '\u{1807}' | '\u{1820}'..='\u{18aa}'),
        '\u{fe00}'..='\u{fe0f}' => is_base(filter.last),
        '\u{e0100}'..='\u{e01ef}' => unicode::is_ideograph(filter.last),
        _ => !is_hidden(c),
    };
    if stays { len } else { 0 }
}

/// Default-ignorable characters, the other format controls that show nothing, and bidi controls.
pub(super) fn is_hidden(c: char) -> bool {
    c >= '\u{ad}' && unicode::within(HIDDEN, c)
}

#[rustfmt::skip]
pub(super) const HIDDEN: &[(u32, u32)] = &[
    (0xad, 0xad), (0x34f, 0x34f), (0x61c, 0x61c), (0x115f, 0x1160), (0x17b4, 0x17b5), (0x180b, 0x180f),
    (0x200b, 0x200f), (0x2028, 0x202e), (0x2060, 0x206f), (0x3164, 0x3164), (0xfe00, 0xfe0f), (0xfeff, 0xfeff),
    (0xffa0, 0xffa0), (0xfff0, 0xfffb), (0x1bca0, 0x1bca3), (0x1d173, 0x1d17a), (0xe0000, 0xe0fff),
];

fn joins(filter: Filter, c: char, next: Option<char>) -> bool {
    let Some(next) = next else { return is_virama(filter.last) };
    if c == ZWJ && is_pictograph(filter) && unicode::is_pictograph(next) {
        return true;
    }
    // A half form or an old Malayalam chillu at the end of a word is written as virama and joiner.
    // What is hidden does not stay behind a joiner, so it is nothing to join.
    is_virama(filter.last) || (unicode::is_joining(filter.last) && unicode::is_joining(next) && !is_hidden(next))
}

/// A pictograph, also with a variation selector or a skin tone.
fn is_pictograph(filter: Filter) -> bool {
    match filter.last {
        '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' => unicode::is_pictograph(filter.before),
        last => last == CANCEL_TAG || unicode::is_pictograph(last),
    }
}

fn is_base(c: char) -> bool {
    !(c.is_whitespace() || c.is_control() || is_hidden(c) || unicode::is_mark(c))
}

fn is_virama(c: char) -> bool {
    matches!(
        c,
        '\u{94d}'
            | '\u{9cd}'
            | '\u{a4d}'
            | '\u{acd}'
            | '\u{b4d}'
            | '\u{bcd}'
            | '\u{c4d}'
            | '\u{ccd}'
            | '\u{d4d}'
            | '\u{dca}'
    )
}
