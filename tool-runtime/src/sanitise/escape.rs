//! What the characters that stay spell: entities, percent and backslash escapes, also escaped twice.

use super::{chars::Chars, glyph::narrow, steps::tick};

/// One character that the text spells, directly or escaped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    pub(super) c: char,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) literal: bool,
}

/// The next unit. An escape that does not end properly is its first character only; the others follow.
pub(super) fn unit(chars: &mut Chars<'_>) -> Option<Unit> {
    let (first, start) = chars.next()?;
    let mut c = narrow(first);
    let mut literal = true;
    // What is decoded to `&`, `%` or `\` begins the next escape: `&amp;lt;`.
    while let Some(decoded) = decode(c, chars) {
        tick();
        c = narrow(decoded);
        literal = false;
    }
    Some(Unit { c: if literal { first } else { c }, start, end: chars.at, literal })
}

/// The rest of an escape that began with `first`; `chars` stays where it is when there is none.
fn decode(first: char, chars: &mut Chars<'_>) -> Option<char> {
    let mut ahead = *chars;
    let decoded = match first {
        '&' => entity(&mut ahead),
        '%' => percent(&mut ahead),
        // Quoted-printable, and UTF-7.
        '=' => encoded(&mut ahead, '='),
        '+' => "ADw".chars().all(|c| ahead.take_char(c).is_some()).then(|| ahead.take_char('-')).map(|_| '<'),
        '\\' => backslash(&mut ahead),
        _ => None,
    }?;
    *chars = ahead;
    Some(decoded)
}

/// Named character references that matter here, without regard to case.
pub(super) const ENTITIES: &[(&str, char)] = &[
    ("af", '\u{2061}'),
    ("amp", '&'),
    ("apos", '\''),
    ("applyfunction", '\u{2061}'),
    ("ast", '*'),
    ("bsol", '\\'),
    ("bull", '•'),
    ("centerdot", '·'),
    ("chi", 'χ'),
    ("colon", ':'),
    ("commat", '@'),
    ("dash", '-'),
    ("dollar", '$'),
    ("emsp", ' '),
    ("ensp", ' '),
    ("equals", '='),
    ("excl", '!'),
    ("gt", '>'),
    ("hairsp", ' '),
    ("hyphen", '-'),
    ("ic", '\u{2063}'),
    ("invisiblecomma", '\u{2063}'),
    ("invisibletimes", '\u{2062}'),
    ("it", '\u{2062}'),
    ("khcy", 'х'),
    ("lang", '⟨'),
    ("langle", '⟨'),
    ("laquo", '«'),
    ("lbrace", '{'),
    ("lbrack", '['),
    ("lcub", '{'),
    ("leftanglebracket", '⟨'),
    ("ll", '≪'),
    ("lobrk", '⟦'),
    ("lowbar", '_'),
    ("lpar", '('),
    ("lrm", '\u{200e}'),
    ("lsaquo", '‹'),
    ("lsqb", '['),
    ("lt", '<'),
    ("mdash", '-'),
    ("mediumspace", ' '),
    ("middot", '·'),
    ("nbsp", ' '),
    ("ndash", '-'),
    ("negativemediumspace", '\u{200b}'),
    ("negativethickspace", '\u{200b}'),
    ("negativethinspace", '\u{200b}'),
    ("negativeverythinspace", '\u{200b}'),
    ("newline", '\n'),
    ("nobreak", '\u{2060}'),
    ("nonbreakingspace", ' '),
    ("num", '#'),
    ("numsp", ' '),
    ("nvlt", '<'),
    ("percnt", '%'),
    ("period", '.'),
    ("plus", '+'),
    ("puncsp", ' '),
    ("quest", '?'),
    ("quot", '"'),
    ("rlm", '\u{200f}'),
    ("semi", ';'),
    ("shy", '\u{ad}'),
    ("sol", '/'),
    ("tab", '\t'),
    ("thinsp", ' '),
    ("thinspace", ' '),
    ("times", '×'),
    ("underbar", '_'),
    ("verbar", '|'),
    ("vert", '|'),
    ("verythinspace", ' '),
    ("zerowidthspace", '\u{200b}'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
];

/// Behind a letter: the names of its accented forms and of its forms in mathematical alphabets.
pub(super) const FORMS: &[(&str, ())] = &[
    ("acute", ()),
    ("breve", ()),
    ("caron", ()),
    ("cedil", ()),
    ("circ", ()),
    ("dot", ()),
    ("fr", ()),
    ("grave", ()),
    ("macr", ()),
    ("ogon", ()),
    ("opf", ()),
    ("ring", ()),
    ("scr", ()),
    ("slash", ()),
    ("strok", ()),
    ("tilde", ()),
    ("uml", ()),
];

/// `&` was read. The semicolon may be missing, as in HTML.
fn entity(chars: &mut Chars<'_>) -> Option<char> {
    let found = if chars.take_char('#').is_some() { number(chars)? } else { named(chars)? };
    chars.take_char(';');
    Some(found)
}

fn number(chars: &mut Chars<'_>) -> Option<char> {
    let radix = if chars.take(|c| matches!(c, 'x' | 'X').then_some(())).is_some() { 16 } else { 10 };
    let mut value = chars.take_digit(radix)?;
    while let Some(digit) = chars.take_digit(radix) {
        value = value.saturating_mul(radix).saturating_add(digit);
    }
    // The one bracket among the references that HTML reads as Windows-1252.
    if value == 0x8b { Some('‹') } else { char::from_u32(value) }
}

fn named(chars: &mut Chars<'_>) -> Option<char> {
    if let Some(c) = longest(ENTITIES, chars) {
        return Some(c);
    }
    let mut ahead = *chars;
    let letter = ahead.take(|c| c.is_ascii_alphabetic().then_some(c))?;
    longest(FORMS, &mut ahead)?;
    *chars = ahead;
    Some(letter)
}

/// What the longest name of the table stands for.
fn longest<T: Copy>(table: &[(&str, T)], chars: &mut Chars<'_>) -> Option<T> {
    let mut ahead = *chars;
    let mut found = None;
    let mut candidates = table;
    for place in 0.. {
        let Some(byte) = ahead.take(|c| c.is_ascii_alphabetic().then_some(c.to_ascii_lowercase() as u8)) else { break };
        let start = candidates.iter().position(|(name, _)| name.as_bytes().get(place) == Some(&byte));
        let Some(start) = start else { break };
        let same = candidates[start..].iter().take_while(|(name, _)| name.as_bytes().get(place) == Some(&byte));
        candidates = &candidates[start..start + same.count()];
        if let Some((name, meaning)) = candidates.first() {
            if name.len() == place + 1 {
                found = Some((*meaning, ahead));
            }
        }
    }
    let (meaning, end) = found?;
    *chars = end;
    Some(meaning)
}

/// `%` was read; the old `%u003C` is known too.
fn percent(chars: &mut Chars<'_>) -> Option<char> {
    if chars.take(|c| matches!(c, 'u' | 'U').then_some(())).is_some() {
        return char::from_u32(digits(chars, 4)?);
    }
    encoded(chars, '%')
}

/// `mark` was read: a byte in hexadecimal, or as many as make a character in UTF-8.
fn encoded(chars: &mut Chars<'_>, mark: char) -> Option<char> {
    let first = byte(chars)?;
    let more = match first {
        0xc2..=0xdf => 1,
        0xe0..=0xef => 2,
        0xf0..=0xf4 => 3,
        _ => return Some(char::from(first)),
    };
    let mut ahead = *chars;
    let mut bytes = [first, 0, 0, 0];
    for byte in &mut bytes[1..=more] {
        let Some(next) = next_byte(&mut ahead, mark) else { return Some(char::from(first)) };
        *byte = next;
    }
    let Ok(decoded) = std::str::from_utf8(&bytes[..=more]) else { return Some(char::from(first)) };
    *chars = ahead;
    decoded.chars().next()
}

fn next_byte(chars: &mut Chars<'_>, mark: char) -> Option<u8> {
    chars.take_char(mark)?;
    loop {
        match byte(chars)? {
            // Escaped twice.
            byte if char::from(byte) == mark => {}
            byte => return Some(byte),
        }
    }
}

/// `\` was read.
fn backslash(chars: &mut Chars<'_>) -> Option<char> {
    match chars.visible()? {
        '\\' => Some('\\'),
        '/' => Some('/'),
        'n' | 'r' | 'f' | 'v' => Some('\n'),
        't' => Some('\t'),
        'x' => braced(chars).or_else(|| digits(chars, 2)).and_then(char::from_u32),
        'U' => braced(chars).or_else(|| digits(chars, 8)).and_then(char::from_u32),
        'u' => match braced(chars).or_else(|| digits(chars, 4))? {
            high @ 0xd800..=0xdbff => {
                chars.take_char('\\')?;
                while chars.take_char('\\').is_some() {}
                chars.take_char('u')?;
                let low = digits(chars, 4).filter(|low| (0xdc00..0xe000).contains(low))?;
                char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))
            }
            code => char::from_u32(code),
        },
        digit @ '0'..='9' => numeric(digit.to_digit(10)?, chars),
        _ => None,
    }
}

/// Octal as in C, up to three digits; where that is no character that shows, hexadecimal as in CSS, up to six.
fn numeric(first: u32, chars: &mut Chars<'_>) -> Option<char> {
    let mut ahead = *chars;
    let mut octal = first;
    while let Some(digit) = ahead.take(|c| c.to_digit(8).filter(|digit| octal * 8 + digit <= 0o377)) {
        octal = octal * 8 + digit;
    }
    if first < 8 && octal >= 0x20 {
        *chars = ahead;
        return char::from_u32(octal);
    }
    let (mut css, mut value) = (*chars, first);
    for _ in 1..6 {
        let Some(digit) = css.take_digit(16) else { break };
        value = value << 4 | digit;
    }
    match char::from_u32(value).filter(|c| *c >= ' ') {
        Some(c) => {
            *chars = css;
            Some(c)
        }
        None if first < 8 => {
            *chars = ahead;
            char::from_u32(octal)
        }
        None => None,
    }
}

/// `{3c}`.
fn braced(chars: &mut Chars<'_>) -> Option<u32> {
    let mut ahead = *chars;
    ahead.take_char('{')?;
    let mut value = ahead.take_digit(16)?;
    while let Some(digit) = ahead.take_digit(16) {
        value = value.saturating_mul(16).saturating_add(digit);
    }
    ahead.take_char('}')?;
    *chars = ahead;
    Some(value)
}

/// Exactly two hexadecimal digits.
fn byte(chars: &mut Chars<'_>) -> Option<u8> {
    digits(chars, 2).and_then(|value| u8::try_from(value).ok())
}

/// Exactly `count` hexadecimal digits.
fn digits(chars: &mut Chars<'_>, count: usize) -> Option<u32> {
    let mut ahead = *chars;
    let mut value = 0;
    for _ in 0..count {
        value = value << 4 | ahead.take_digit(16)?;
    }
    *chars = ahead;
    Some(value)
}
