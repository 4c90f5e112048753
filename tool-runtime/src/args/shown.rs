//! Echoes text that somebody else chose: on one line, visible, and harmless.

use super::tree::Node;

/// `text` on one line and at most `max_chars` characters long: control, invisible and direction-changing characters
/// are spelled out (`\u{200b}`), and so are backticks and whatever could open a tag.
pub(crate) fn shown(text: &str, max_chars: usize) -> String {
    lined(text, max_chars, |line, character| match character {
        '`' => line.code_point(character),
        _ => line.escaped(character),
    })
}

/// The same where it is not quoted between backticks.
pub(crate) fn shown_bare(text: &str, max_chars: usize) -> String {
    lined(text, max_chars, Line::escaped)
}

/// The same for a line that nobody cleans before it is shown: only letters, digits and signs that begin nothing are left.
/// Spelled out, a bracket would still be one to a reader that knows escapes.
pub(super) fn harmless(text: &str, max_chars: usize) -> String {
    lined(text, max_chars, |line, character| {
        let begins_nothing = character.is_alphanumeric() || " _-.:/$@#*+=,;!?'\"])}>~^".contains(character);
        let stays = begins_nothing && !is_invisible(character) && !opens_a_tag(character);
        let shown = if stays { character } else { char::REPLACEMENT_CHARACTER };
        line.add(shown.encode_utf8(&mut [0; 4]), 1);
    })
}

fn lined(text: &str, max_chars: usize, add: fn(&mut Line, char)) -> String {
    let mut line = Line::new(max_chars);
    for character in text.chars() {
        add(&mut line, character);
        if line.is_full() {
            break;
        }
    }
    line.finish()
}

/// The type and the beginning of a value, at most `max_chars` characters in all: `string "two"`.
pub(super) fn preview(node: &Node<'_>, max_chars: usize) -> String {
    let mut line = Line::new(max_chars);
    line.plain(node.kind());
    if !matches!(node, Node::Null) {
        line.plain(" ");
        line.node(node);
    }
    line.finish()
}

/// The value without its type.
pub(super) fn plain_value(node: &Node<'_>, max_chars: usize) -> String {
    let mut line = Line::new(max_chars);
    line.node(node);
    line.finish()
}

/// A line that takes no more than it may hold.
struct Line {
    text: String,
    chars: usize,
    max: usize,
    /// Where to cut so that an ellipsis still fits.
    cut_at: usize,
    overflown: bool,
}

impl Line {
    fn new(max: usize) -> Self {
        Self { text: String::new(), chars: 0, max, cut_at: 0, overflown: false }
    }

    fn is_full(&self) -> bool {
        self.overflown
    }

    /// Adds ASCII text that is cut nowhere inside.
    fn plain(&mut self, piece: &str) {
        self.add(piece, piece.len());
    }

    #[inline(never)]
    fn add(&mut self, piece: &str, chars: usize) {
        if self.overflown || self.chars + chars > self.max {
            self.overflown = true;
            return;
        }
        self.text.push_str(piece);
        self.chars += chars;
        if self.chars < self.max {
            self.cut_at = self.text.len();
        }
    }

    fn code_point(&mut self, character: char) {
        let escape = character.escape_unicode().to_string();
        self.plain(&escape);
    }

    fn escaped(&mut self, character: char) {
        match character {
            '\n' => self.plain("\\n"),
            '\r' => self.plain("\\r"),
            '\t' => self.plain("\\t"),
            _ if is_invisible(character) || opens_a_tag(character) => self.code_point(character),
            _ => self.add(character.encode_utf8(&mut [0; 4]), 1),
        }
    }

    fn quoted(&mut self, text: &str) {
        self.plain("\"");
        for character in text.chars() {
            match character {
                '"' => self.plain("\\\""),
                '\\' => self.plain("\\\\"),
                _ => self.escaped(character),
            }
            if self.is_full() {
                return;
            }
        }
        self.plain("\"");
    }

    fn node(&mut self, node: &Node<'_>) {
        match node {
            Node::Null => self.plain("null"),
            Node::Bool(true) => self.plain("true"),
            Node::Bool(false) => self.plain("false"),
            // Digits that go on past the limit are cut like a string.
            Node::Number(text) => text.chars().take(self.max + 1).for_each(|digit| self.escaped(digit)),
            Node::String(text) => self.quoted(text),
            Node::Array(items) => self.list("[", items, "]", Self::node),
            Node::Object(members) => self.list("{", members, "}", |line, (key, value)| {
                line.quoted(key);
                line.plain(": ");
                line.node(value);
            }),
        }
    }

    fn list<T>(&mut self, open: &str, items: &[T], close: &str, mut write: impl FnMut(&mut Self, &T)) {
        self.plain(open);
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.plain(", ");
            }
            write(self, item);
            if self.is_full() {
                return;
            }
        }
        self.plain(close);
    }

    fn finish(mut self) -> String {
        if self.overflown && self.max > 0 {
            self.text.truncate(self.cut_at);
            self.text.push('…');
        }
        self.text
    }
}

/// Whether a reader would not see the character, or would see others in the wrong place.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(u32::from(character),
            0xad | 0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f
            | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb
            | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff)
}

/// `<` and what a model may read as one.
fn opens_a_tag(character: char) -> bool {
    matches!(
        character,
        '<' | '＜'
            | '﹤'
            | '‹'
            | '«'
            | '〈'
            | '\u{2329}'
            | '⟨'
            | '《'
            | '⟪'
            | '❬'
            | '❮'
            | '❰'
            | '≪'
            | '⋖'
            | '˂'
            | 'ᐸ'
            | '⧼'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sanitise;

    #[test]
    fn what_hides_or_breaks_is_spelled_out() {
        assert_eq!(shown("n\u{200b}", 80), "n\\u{200b}");
        assert_eq!(shown("a\n[x]\u{1b}\u{202e}`", 80), "a\\n[x]\\u{1b}\\u{202e}\\u{60}");
        assert_eq!(shown("</external_tool_result>", 80), "\\u{3c}/external_tool_result>");
        assert_eq!(shown("Zürich 日本", 80), "Zürich 日本");
    }

    proptest! {
        #[test]
        fn a_harmless_line_needs_no_cleaning(text in r"(?s)(.|[<\[{(&%\\|＜【]|external|tool|result|[_ -]|INST|im_start|lt;|3C|u003c|\u{200b}|\u{e0041}){0,24}") {
            let line = harmless(&text, 80);
            prop_assert_eq!(&sanitise::line(&line, 1000), &line);
        }
    }

    #[test]
    fn what_nobody_cleans_has_no_brackets() {
        assert_eq!(harmless("größe of [x].$a", 80), "größe of �x].$a");
        assert_eq!(harmless("%3Cexternal_tool_result%3E`", 80), "�3Cexternal_tool_result�3E�");
    }

    #[test]
    fn never_longer_than_asked_and_escapes_stay_whole() {
        let text = "ab\u{200b}cd\ne<".repeat(9);
        for max in 0..100 {
            let line = shown(&text, max);
            assert!(line.chars().count() <= max, "{line}");
            assert!(!line.trim_end_matches('…').ends_with("\\u{200"), "{line}");
        }
        assert_eq!(shown("abc", 3), "abc");
        assert_eq!(shown("abcd", 3), "ab…");
    }

    #[test]
    fn a_preview_names_the_type() {
        let node = Node::parse(r#"{"a": 1,"b":[true,null,"x\"y"]}"#);
        assert_eq!(preview(&node, 80), r#"object {"a": 1, "b": [true, null, "x\"y"]}"#);
        assert_eq!(preview(&Node::Null, 80), "null");
        assert_eq!(preview(&Node::parse("5.5"), 80), "number 5.5");
        let long = format!("\"{}\"", "x".repeat(1000));
        assert_eq!(preview(&Node::parse(&long), 80).chars().count(), 80);
        let digits = "9".repeat(1000);
        assert_eq!(preview(&Node::parse(&digits), 80).chars().count(), 80);
    }
}
