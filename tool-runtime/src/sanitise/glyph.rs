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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opener {
    Tag,
    /// Round brackets and quotation marks: they stand round prose as well.
    Prose,
}

/// Brackets, quotation marks with a direction, and whatever can pass for `<`. Beyond ASCII whole blocks,
/// closing forms included.
pub(super) fn opener(c: char) -> Option<Opener> {
    if c.is_ascii() {
        return match c {
            '<' | '[' | '{' => Some(Opener::Tag),
            '(' => Some(Opener::Prose),
            _ => None,
        };
    }
    let is_prose = matches!(c, '(' | '（' | '﹙' | '⁽' | '₍' | '❨' | '❪' | '⸨' | '⦅' | '｟' | '‘'..='‟' | '〝' | '⹂');
    let is_tag = matches!(
        c,
        '＜' | '［' | '｛' | '﹤' | '﹛'..='﹞' | '«' | '‹' | '˂' | 'ᐸ' | 'ᚲ' | '𝈶'
            // Order relations.
            | '≤'..='⊁' | '⊏'..='⊒' | '⊰'..='⊵' | '⋖'..='⋡' | '⨞' | '⩹'..='⪼' | '⫷'..='⫺'
            // Technical and mathematical brackets, arrowheads, ornaments.
            | '⌈'..='⌋' | '⌜'..='⌟' | '〈' | '〉' | '⍃' | '⎛'..='⎭' | '◀'..='◅' | '❬'..='❵' | '⮜' | '⯇' | '🞀'
            | '⟅' | '⟆' | '⟦'..='⟯' | '⦃'..='⦘' | '⧀' | '⧁' | '⧏' | '⧘'..='⧛' | '⧼' | '⧽'
            // Brackets of other scripts, of editors and of vertical text.
            | '༺'..='༽' | '᚛' | '⁅' | '⸂'..='⸅' | '⸉' | '⸊' | '⸌' | '⸍' | '⸜' | '⸝' | '⸠'..='⸩' | '⹕'..='⹜'
            | '〈'..='】' | '〔'..='〛' | '\u{fd3e}' | '\u{fd3f}' | '︗' | '︘' | '︵'..='﹄' | '﹇' | '﹈' | '｢'
    );
    if is_prose { Some(Opener::Prose) } else { is_tag.then_some(Opener::Tag) }
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

pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{2800}' | '\u{303f}')
}

/// Combining marks, and the invisible characters that stay where they are needed.
pub(super) fn is_attached(c: char) -> bool {
    unicode::is_mark(c) || invisible::is_hidden(c) || c.is_control() && !c.is_whitespace()
}
