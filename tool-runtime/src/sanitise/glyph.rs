//! What can stand round and inside a marker's name, in every script that has something of the kind.

use super::{invisible, unicode};

/// Full-width forms as the ASCII they stand for.
pub(super) fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xff01 + 0x21).unwrap_or(c),
        '﹠' => '&',
        '﹪' => '%',
        '﹨' | '∖' | '⧵' => '\\',
        '﹟' => '#',
        '﹔' | ';' => ';',
        _ => c,
    }
}

/// By how much they tell, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Opener {
    /// Letters and arrows, which are one only before a slash.
    Text,
    /// Round brackets and quotation marks: they stand round prose as well.
    Prose,
    Tag,
    /// What tags begin with, and nothing else that a text has brackets for.
    Angle,
}

/// Brackets, quotation marks with a direction, and whatever can pass for `<`. Beyond ASCII whole blocks,
/// closing forms included.
pub(super) fn opener(c: char) -> Option<Opener> {
    if c.is_ascii() {
        return match c {
            '<' => Some(Opener::Angle),
            '[' | '{' => Some(Opener::Tag),
            '(' => Some(Opener::Prose),
            _ => None,
        };
    }
    Some(match c {
        '＜' | '﹤' | '‹' | '˂' | '⟨' | '\u{2329}' | '\u{3008}' | '❬' | '❮' | '❰' | 'ᐸ' | '𝈶' | '⮘' | '⏴' | '𐏐' => Opener::Angle,
        '(' | '（' | '﹙' | '⁽' | '₍' | '❨' | '❪' | '⸨' | '⦅' | '｟' | '‘'..='‟' | '〝' | '⹂' => Opener::Prose,
        '←' | '⇐' | '⟵' | '⟸' | '⊂' | 'く' | 'ㄑ' => Opener::Text,
        '［' | '｛' | '﹛'..='﹞' | '«' | 'ᚲ'
            // Order relations.
            | '≤'..='⊁' | '⊏'..='⊒' | '⊰'..='⊵' | '⋖'..='⋡' | '⨞' | '⩹'..='⪼' | '⫷'..='⫺'
            // Technical and mathematical brackets, arrowheads, ornaments.
            | '⌈'..='⌋' | '⌜'..='⌟' | '〉' | '⍃' | '⎛'..='⎭' | '◀'..='◅' | '❬'..='❵' | '⮜' | '⯇' | '🞀'
            | '⟅' | '⟆' | '⟦'..='⟯' | '⦃'..='⦘' | '⧀' | '⧁' | '⧏' | '⧘'..='⧛' | '⧼' | '⧽'
            // Brackets of other scripts, of editors and of vertical text.
            | '༺'..='༽' | '᚛' | '⁅' | '⸂'..='⸅' | '⸉' | '⸊' | '⸌' | '⸍' | '⸜' | '⸝' | '⸠'..='⸩' | '⹕'..='⹜'
            | '〈'..='】' | '〔'..='〛' | '\u{fd3e}' | '\u{fd3f}' | '︗' | '︘' | '︵'..='﹄' | '﹇' | '﹈' | '｢' => Opener::Tag,
        _ => return None,
    })
}

/// A slash or backslash, in front of a closing marker's name.
pub(super) fn is_slash(c: char) -> bool {
    matches!(
        c,
        '/' | '\\'
            | '／'
            | '＼'
            | '⁄'
            | '∕'
            | '∖'
            | '╱'
            | '╲'
            | '⟋'
            | '⟍'
            | '⧵'
            | '⧸'
            | '⧹'
            | '⫽'
            | '﹨'
            | '⼃'
            | '㇓'
            | '丿'
            | 'ノ'
            | '〳'
            | '᜵'
            | '⁁'
            | 'Ⳇ'
            | '𝈺'
            | '𝈻'
            | '⼂'
            | '㇔'
            | '丶'
    )
}

/// What else a tag may have in front of its name: `<!--`, `<?`, `{#`, `[:`.
pub(super) fn is_prefix(c: char) -> bool {
    matches!(c, '!' | '?' | '|' | ':' | '#' | '！' | '？' | '｜' | '：' | '＃') || is_separator(c)
}

/// What can stand between the words of the name, apart from white space.
pub(super) fn is_separator(c: char) -> bool {
    matches!(
        c,
        '_' | '-' | '+' | '\\' | '＿' | '－' | '＋' | '֊' | '־' | '᐀' | '᠆' | '‐'..='―' | '‿' | '⁀' | '⁃' | '⁔' | '−' | 'ˍ'
            | '⸗' | '⸚' | '⸺' | '⸻' | '⹀' | '⹝' | '〜' | '〰' | '゠' | '︱'..='︴' | '﹉'..='﹏' | '﹘' | '﹣' | 'ߺ' | '𐵮' | '𐺭'
    )
}

/// Signs that template languages, sigils and declarations put in front of a name: `<%`, `{$`, `<@`.
pub(super) fn is_sigil(c: char) -> bool {
    matches!(narrow(c), '%' | '$' | '@' | '*' | '=' | '^' | '&' | ';' | '.')
}

/// What can stand in a separator's place. Not `~`, which is what sanitising itself writes.
pub(super) fn is_joint(c: char) -> bool {
    matches!(narrow(c), '.' | ':' | '|' | '=' | '·' | '•' | '∙' | '⋅' | '・') || is_slash(c)
}

pub(super) fn is_quote(c: char) -> bool {
    matches!(narrow(c), '"' | '\'' | '`')
}

pub(super) fn is_angle_end(c: char) -> bool {
    matches!(narrow(c), '>' | '﹥' | '›' | '⟩')
}

/// Behind a namespace.
pub(super) fn is_colon(c: char) -> bool {
    narrow(c) == ':'
}

/// What a namespace is made of.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.') || is_attached(c)
}

pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{2800}' | '\u{303f}')
}

/// Combining marks, and the invisible characters that stay where they are needed.
pub(super) fn is_attached(c: char) -> bool {
    unicode::is_mark(c) || invisible::is_hidden(c) || c.is_control() && !c.is_whitespace()
}
