//! The closer look at one place of the text.

use super::{chars::Chars, escape, filter::Filter, name::Marker, token};

pub(super) enum Found {
    /// Nothing to defuse, and nothing begun, up to here.
    Nothing { until: usize },
    /// `plain` is to stand in place of `start..end`.
    Match { start: usize, end: usize, plain: &'static str },
}

/// Looks at the text from `from` on, where `filter` is the filter's state, until behind `anchor`, and
/// from there until nothing is left that could become a marker.
pub(super) fn seek(text: &str, from: usize, filter: Filter, anchor: usize) -> Found {
    let mut chars = Chars { text, at: from, filter };
    let mut marker = Marker::default();
    while let Some(unit) = escape::unit(&mut chars) {
        if unit.literal && token::begins(unit.c, chars) {
            return Found::Match { start: unit.start, end: unit.end, plain: "~" };
        }
        if let Some(name) = marker.feed(unit) {
            // No bracket, no quote, no underscore, and `~` may stand before no name.
            let plain = if name.slash { "~/external-tool-result" } else { "~external-tool-result" };
            return Found::Match { start: name.start, end: unit.end, plain };
        }
        if marker.is_idle() && unit.end > anchor {
            return Found::Nothing { until: unit.end };
        }
    }
    Found::Nothing { until: text.len() }
}
