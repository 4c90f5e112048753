//! Cuts text to a number of characters, on character boundaries. Costs what is shown, not what is there.

pub(crate) mod snap;

use std::fmt;

use crate::policy::Snap;

/// Which ends of a text are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// The beginning.
    Head,
    /// The beginning and the end, with a marker between them; the beginning only, where there is no room for that.
    HeadTail,
}

/// How a text is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) ends: Ends,
    /// Where the cuts may fall; what that costs is given up, not shown elsewhere.
    pub(crate) snap: Snap,
}

impl Style {
    /// How many characters of the beginning a cut to `limit` has to see at most.
    pub(crate) fn longest_head(self, limit: usize) -> usize {
        limit.saturating_add(snap::look_ahead(self.snap))
    }

    /// How many characters of the end a cut to `limit` has to see at most.
    pub(crate) fn longest_tail(self, limit: usize) -> usize {
        match self.ends {
            Ends::Head => 0,
            Ends::HeadTail => limit.div_ceil(2) + snap::look_back(self.snap),
        }
    }
}

/// `original - limit` characters, so not what is missing, but what the text was too long by.
struct Marker {
    excess: usize,
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n... (truncated {} chars) ...\n", self.excess)
    }
}

impl Marker {
    /// Everything in it is ASCII.
    fn chars(&self) -> usize {
        "\n... (truncated  chars) ...\n".len() + digits(self.excess)
    }
}

fn digits(number: usize) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// What a cut shows, in characters.
struct Plan {
    head: usize,
    marker: Option<Marker>,
    tail: usize,
}

impl Plan {
    fn new(original: usize, limit: usize, ends: Ends) -> Self {
        let marker = Marker { excess: original - limit };
        match (ends, limit.checked_sub(marker.chars())) {
            (Ends::HeadTail, Some(room @ 1..)) => Self { head: room / 2, marker: Some(marker), tail: room - room / 2 },
            _ => Self { head: limit, marker: None, tail: 0 },
        }
    }
}

/// How many characters (Unicode scalar values) `text` has.
pub(crate) fn count(text: &str) -> usize {
    bytecount::num_chars(text.as_bytes())
}

/// `text` of `original` characters as it is shown within `limit` characters, which are fewer.
pub(crate) fn cut(text: &str, original: usize, limit: usize, style: Style) -> String {
    join(text, "", original, limit, style)
}

/// The same from two pieces of a text: its first [`Style::longest_head`] characters at least, and from what follows
/// them the last [`Style::longest_tail`], or all there is.
pub(crate) fn join(head: &str, rest: &str, original: usize, limit: usize, style: Style) -> String {
    if original <= limit {
        return [head, rest].concat();
    }
    let Plan { head: shown, marker, tail } = Plan::new(original, limit, style.ends);
    let start = &head[..snap::start(head, offset(head, shown), style.snap)];
    let Some(marker) = marker else { return start.to_owned() };
    let (before, end) = last(head, rest, tail + snap::look_back(style.snap));
    let seen;
    let (before, end) = match style.snap {
        Snap::Chars => (before, end),
        snap => {
            seen = [before, end].concat();
            let at = seen.len() - self::tail(&seen, tail).map_or(seen.len(), str::len);
            ("", &seen[snap::end(&seen, at, snap)..])
        }
    };
    let mut text = String::with_capacity(start.len() + marker.chars() + before.len() + end.len());
    text.push_str(start);
    // Writing to a `String` can't fail.
    let _ = fmt::Write::write_fmt(&mut text, format_args!("{marker}"));
    text.push_str(before);
    text.push_str(end);
    text
}

/// The byte offset after the first `chars` characters.
pub(crate) fn offset(text: &str, chars: usize) -> usize {
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

/// The last `chars` characters of `head` and `rest` together.
fn last<'t>(head: &'t str, rest: &'t str, chars: usize) -> (&'t str, &'t str) {
    match tail(rest, chars) {
        Some(end) => ("", end),
        None => (tail(head, chars - count(rest)).unwrap_or(head), rest),
    }
}

/// The last `chars` characters of `text`, if it has so many.
fn tail(text: &str, chars: usize) -> Option<&str> {
    let Some(before) = chars.checked_sub(1) else { return Some("") };
    text.char_indices().nth_back(before).map(|(at, _)| &text[at..])
}

/// The largest character boundary of `text` up to `at`.
pub(crate) fn boundary(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The length that every text may have so that all together fit: the longest are cut first, down to one length.
pub(crate) fn allowance(lengths: &[usize], limit: usize) -> usize {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let mut room = limit;
    for (index, &chars) in sorted.iter().enumerate() {
        let share = room / (sorted.len() - index);
        if chars > share {
            return share;
        }
        room -= chars;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slow and obvious.
    fn oracle(text: &str, limit: usize, ends: Ends) -> String {
        let chars: Vec<char> = text.chars().collect();
        if chars.len() <= limit {
            return text.to_owned();
        }
        let marker: Vec<char> = format!("\n... (truncated {} chars) ...\n", chars.len() - limit).chars().collect();
        if ends == Ends::Head || marker.len() >= limit {
            return chars[..limit].iter().collect();
        }
        let room = limit - marker.len();
        let tail = chars.len() - (room - room / 2);
        chars[..room / 2].iter().chain(&marker).chain(&chars[tail..]).collect()
    }

    fn chars_of(ends: Ends) -> Style {
        Style { ends, snap: Snap::Chars }
    }

    #[test]
    fn cuts_are_those_of_the_oracle_at_every_limit() {
        for unit in ["x", "é", "漢字かな", "👩\u{200d}👩\u{200d}👧🦀", "e\u{301}", "ab\r\n"] {
            for chars in [0, 1, 29, 30, 31, 60, 150, 399, 1_000] {
                let text: String = unit.chars().cycle().take(chars).collect();
                for limit in 0..=400 {
                    for ends in [Ends::Head, Ends::HeadTail] {
                        let cut = cut(&text, chars, limit, chars_of(ends));
                        assert_eq!(cut, oracle(&text, limit, ends), "{unit} {chars} {limit} {ends:?}");
                        assert!(count(&cut) <= limit);
                    }
                }
            }
        }
    }

    #[test]
    fn pieces_join_like_the_whole() {
        let text: String = "aé漢🦀".chars().cycle().take(300).collect();
        for limit in 0..300 {
            for ends in [Ends::Head, Ends::HeadTail] {
                let style = chars_of(ends);
                let (head, rest) = text.split_at(offset(&text, style.longest_head(limit)));
                let end = tail(rest, style.longest_tail(limit)).unwrap_or(rest);
                assert_eq!(join(head, end, 300, limit, style), oracle(&text, limit, ends));
            }
        }
    }

    #[test]
    fn no_half_line_is_shown_where_one_fits() {
        let lines: Vec<String> = (0..100).map(|line| format!("{line} of a hundred\r\n")).collect();
        let text = lines.concat();
        let original = count(&text);
        for limit in 0..original {
            for ends in [Ends::Head, Ends::HeadTail] {
                let shown = cut(&text, original, limit, Style { ends, snap: Snap::Lines });
                assert!(count(&shown) <= limit);
                let (head, tail) = match shown.split_once("\n... (truncated ") {
                    Some((head, rest)) => (head, rest.split_once(" ...\n").unwrap_or_default().1),
                    None => (shown.as_str(), ""),
                };
                if head.len() >= "0 of a hundred".len() {
                    assert!(head.ends_with('d'), "{limit} {head:?}");
                }
                if tail.len() >= "99 of a hundred\r\n".len() {
                    assert!(tail.starts_with(|c: char| c.is_ascii_digit()), "{limit} {tail:?}");
                    assert!(text.contains(&format!("\r\n{tail}")), "{limit} {tail:?}");
                }
            }
        }
    }

    #[test]
    #[cfg(feature = "graphemes")]
    fn no_cluster_is_split() {
        use unicode_segmentation::UnicodeSegmentation;

        for unit in ["e\u{301}", "ab\r\n", "👨\u{200d}👩\u{200d}👧 ", "🇩🇪🇫🇷 "] {
            let text = unit.repeat(300);
            let original = count(&text);
            for limit in 0..original.min(400) {
                for ends in [Ends::Head, Ends::HeadTail] {
                    let shown = cut(&text, original, limit, Style { ends, snap: Snap::Graphemes });
                    assert!(count(&shown) <= limit);
                    let (head, tail) = match shown.split_once("\n... (truncated ") {
                        Some((head, rest)) => (head, rest.split_once(" ...\n").unwrap_or_default().1),
                        None => (shown.as_str(), ""),
                    };
                    let whole: Vec<&str> = text.graphemes(true).collect();
                    assert!(head.graphemes(true).eq(whole[..head.graphemes(true).count()].iter().copied()), "{limit}");
                    let tail: Vec<&str> = tail.graphemes(true).collect();
                    assert_eq!(tail, whole[whole.len() - tail.len()..], "{unit:?} {limit}");
                }
            }
        }
    }

    #[test]
    fn the_marker_knows_its_length() {
        for excess in [1, 9, 10, 99, 100, usize::MAX] {
            let marker = Marker { excess };
            assert_eq!(marker.to_string().len(), marker.chars());
        }
    }

    #[test]
    fn the_longest_texts_are_cut_first() {
        assert_eq!(allowance(&[10, 100, 50], 160), usize::MAX);
        assert_eq!(allowance(&[10, 100, 50], 100), 45);
        assert_eq!(allowance(&[10, 100, 50], 120), 60);
        assert_eq!(allowance(&[], 0), usize::MAX);
    }

    #[test]
    fn the_texts_together_obey_the_limit() {
        for limit in 0..200 {
            let lengths = [3, 70, 70, 1, 0, 41];
            let cut = allowance(&lengths, limit);
            assert!(lengths.iter().map(|&chars| chars.min(cut)).sum::<usize>() <= limit, "{limit}");
        }
    }
}
