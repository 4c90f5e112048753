//! Moves a cut to a place that reads well: earlier where the beginning ends, later where the end begins.

use crate::policy::Snap;

/// How far back (in characters) a cut looks for the beginning of what it is in.
#[cfg(feature = "graphemes")]
const CONTEXT: usize = 256;

/// How many characters after the beginning a cut wants to see: a line may end with two.
pub(super) fn look_ahead(snap: Snap) -> usize {
    match snap {
        Snap::Chars => 0,
        _ => 2,
    }
}

/// How many characters before the end a cut wants to see.
pub(super) fn look_back(snap: Snap) -> usize {
    match snap {
        Snap::Chars => 0,
        Snap::Lines => 1,
        #[cfg(feature = "graphemes")]
        Snap::Graphemes => CONTEXT,
    }
}

/// Where the beginning of `text` ends, at byte `at` or before.
pub(crate) fn start(text: &str, at: usize, snap: Snap) -> usize {
    match snap {
        Snap::Chars => at,
        Snap::Lines => line_end(text, at),
        #[cfg(feature = "graphemes")]
        Snap::Graphemes => graphemes::start(text, at),
    }
}

/// Where the end of `text` begins, at byte `at` or after.
pub(crate) fn end(text: &str, at: usize, snap: Snap) -> usize {
    match snap {
        Snap::Chars => at,
        Snap::Lines => line_start(text, at),
        #[cfg(feature = "graphemes")]
        Snap::Graphemes => graphemes::end(text, at),
    }
}

/// The end of the last whole line before `at`, its line break left out; `at` where there is none.
fn line_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let seen = &bytes[..bytes.len().min(at + 2)];
    memchr::memrchr_iter(b'\n', seen)
        .map(|end| if bytes[..end].ends_with(b"\r") { end - 1 } else { end })
        .find(|&end| end <= at)
        .filter(|&end| end > 0)
        .unwrap_or(at)
}

/// The beginning of the first whole line after `at`; `at` where there is none.
fn line_start(text: &str, at: usize) -> usize {
    if at == 0 || text[..at].ends_with('\n') {
        return at;
    }
    memchr::memchr(b'\n', &text.as_bytes()[at..])
        .map(|end| at + end + 1)
        .filter(|&start| start < text.len())
        .unwrap_or(at)
}

#[cfg(feature = "graphemes")]
mod graphemes {
    use unicode_segmentation::UnicodeSegmentation;

    use super::CONTEXT;

    /// Whether a cluster ends somewhere depends on what is before, and on one character after.
    pub(super) fn start(text: &str, at: usize) -> usize {
        let from = before(text, at);
        let to = text[at..].chars().next().map_or(at, |next| at + next.len_utf8());
        let boundaries = text[from..to].grapheme_indices(true).map(|(start, _)| from + start);
        // A cluster that begins before what is looked at is too long to be kept whole.
        let found = boundaries.rev().find(|&boundary| boundary <= at && (boundary > from || from == 0));
        if text.len() == at { at } else { found.unwrap_or(at) }
    }

    pub(super) fn end(text: &str, at: usize) -> usize {
        if at == 0 {
            return 0;
        }
        let from = before(text, at);
        let to = text[at..].char_indices().nth(CONTEXT).map_or(text.len(), |(to, _)| at + to);
        let mut boundaries = text[from..to].grapheme_indices(true).map(|(start, _)| from + start);
        let none = if to == text.len() { to } else { at };
        boundaries.find(|&boundary| boundary >= at).unwrap_or(none)
    }

    fn before(text: &str, at: usize) -> usize {
        text[..at].char_indices().nth_back(CONTEXT - 1).map_or(0, |(from, _)| from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_whole_where_one_fits() {
        let text = "one\ntwo\r\nthree\n";
        let shown: Vec<&str> = (0..=text.len()).map(|at| &text[..start(text, at, Snap::Lines)]).collect();
        assert_eq!(shown[..4], ["", "o", "on", "one"]);
        assert_eq!(shown[4..7], ["one"; 3]);
        assert_eq!(shown[7..14], ["one\ntwo"; 7]);
        assert_eq!(shown[14..], ["one\ntwo\r\nthree"; 2]);
        let shown: Vec<&str> = (0..=text.len()).map(|at| &text[end(text, at, Snap::Lines)..]).collect();
        assert_eq!(shown[0], text);
        assert_eq!(shown[1..5], ["two\r\nthree\n"; 4]);
        assert_eq!(shown[5..10], ["three\n"; 5]);
        assert_eq!(shown[10..], ["hree\n", "ree\n", "ee\n", "e\n", "\n", ""]);
    }

    #[test]
    #[cfg(feature = "graphemes")]
    fn clusters_stay_whole_at_every_place() {
        use unicode_segmentation::UnicodeSegmentation;

        let family = "👨\u{200d}👩\u{200d}👧";
        for unit in ["e\u{301}", "ab\r\n", family, "🇩🇪🇫🇷", "각", "a👍🏽"] {
            let text = unit.repeat(40);
            let boundaries: Vec<usize> = text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]).collect();
            for (at, _) in text.char_indices() {
                let expected = boundaries.iter().rev().find(|boundary| **boundary <= at);
                assert_eq!(Some(&start(&text, at, Snap::Graphemes)), expected, "{unit} {at}");
                let expected = boundaries.iter().find(|boundary| **boundary >= at);
                assert_eq!(Some(&end(&text, at, Snap::Graphemes)), expected, "{unit} {at}");
            }
        }
    }

    #[test]
    #[cfg(feature = "graphemes")]
    fn what_never_ends_is_cut_between_characters() {
        let text = format!("a{}", "\u{301}".repeat(5_000));
        assert_eq!(start(&text, 2_001, Snap::Graphemes), 2_001);
        assert_eq!(end(&text, 2_001, Snap::Graphemes), 2_001);
        // Near its beginning it is left out.
        assert_eq!(start(&text, 101, Snap::Graphemes), 0);
    }
}
