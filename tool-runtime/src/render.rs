//! Puts together what was decided: headers, fence, body, notices, in that order.

use crate::fence::Fenced;

/// Characters of all notices together.
pub(crate) const MAX_NOTICES: usize = 2000;

/// More notices would have no room for a word.
const MOST_NOTICES: usize = 100;

/// The text of a result.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Body<'a> {
    Trusted(&'a str),
    External(&'a Fenced<'a>),
}

impl Body<'_> {
    fn pieces(&self) -> [&str; 5] {
        match self {
            Self::Trusted(text) => [text, "", "", "", ""],
            Self::External(fenced) => fenced.pieces(),
        }
    }
}

/// One text for the model, in parts.
#[derive(Debug)]
pub(crate) struct Reply<'a> {
    /// Lines of ours before the fence.
    pub(crate) headers: &'a [String],
    pub(crate) body: Body<'a>,
    /// From [`notices`].
    pub(crate) notices: &'a str,
}

impl Reply<'_> {
    /// Whether the text is the body and nothing else.
    pub(crate) fn is_bare(&self) -> bool {
        self.headers.is_empty() && matches!(self.body, Body::Trusted(_)) && self.notices.is_empty()
    }

    pub(crate) fn text(&self) -> String {
        let headers = self.headers.iter().flat_map(|line| [line.as_str(), "\n"]);
        let pieces: Vec<&str> = headers.chain(self.body.pieces()).chain([self.notices]).collect();
        pieces.concat()
    }
}

/// One notice, cleaned.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// Quoted text, fenced; short already.
    pub(crate) quoted: Option<String>,
}

impl Line {
    /// The notice within `room` characters: a quotation that doesn't fit is left out whole, its fence stays whole.
    fn within(&self, room: usize) -> String {
        const FRAME: usize = "\n[Notice: ]".len();
        let text: String = self.text.chars().take(room.saturating_sub(FRAME)).collect();
        let ours = format!("\n[Notice: {text}]");
        match &self.quoted {
            Some(quoted) if ours.chars().count() + 1 + quoted.chars().count() <= room => format!("{ours}\n{quoted}"),
            _ => ours,
        }
    }
}

/// The notices as one block that can be appended to any body: a blank line, then a line each. Empty without any.
/// None is left out: each gets its share of the room. More than fit with a few words each are counted.
pub(crate) fn notices(notices: &[Line]) -> String {
    let mut block = String::new();
    let mut room = MAX_NOTICES - 1;
    let (shown, rest) = notices.split_at(notices.len().min(MOST_NOTICES));
    let more = match rest.len() {
        0 => String::new(),
        more => format!("\n[Notice: {more} more notices are not shown]"),
    };
    room -= more.len();
    for (index, notice) in shown.iter().enumerate() {
        let line = notice.within(room / (shown.len() - index));
        room -= line.chars().count().min(room);
        block.push_str(&line);
    }
    block.push_str(&more);
    if !block.is_empty() {
        block.insert(0, '\n');
    }
    block
}

#[cfg(test)]
mod tests {
    use super::{Body, Line, MAX_NOTICES, Reply, notices};

    fn lines<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<Line> {
        texts.into_iter().map(|text| Line { text: text.to_owned(), quoted: None }).collect()
    }

    #[test]
    fn the_order_is_header_body_notices() {
        let headers = ["[Tool error]".to_owned()];
        let notices = notices(&lines(["one", "two"]));
        let reply = Reply { headers: &headers, body: Body::Trusted("body"), notices: &notices };
        assert_eq!(reply.text(), "[Tool error]\nbody\n\n[Notice: one]\n[Notice: two]");
    }

    #[test]
    fn every_notice_is_there_and_all_stay_within_their_room() {
        for count in [1, 2, 19, 20, 21, 100] {
            let text = "x".repeat(90);
            let block = notices(&lines((0..count).map(|_| text.as_str())));
            assert!(block.chars().count() <= MAX_NOTICES, "{count}");
            assert_eq!(block.matches("[Notice: ").count(), count);
        }
        let block = notices(&lines((0..100_000).map(|_| "a notice of some length")));
        assert!(block.chars().count() <= MAX_NOTICES && block.ends_with("[Notice: 99900 more notices are not shown]"));
        assert_eq!(notices(&lines([&*"x".repeat(3000)])).chars().count(), MAX_NOTICES);
        assert_eq!(notices(&[]), "");
    }

    #[test]
    fn a_quotation_is_there_whole_or_not_at_all() {
        for (length, there) in [(1, true), (500, true), (5000, false)] {
            let quoted = Some(format!("<a>\n{}\n</a>", "y".repeat(length)));
            let block = notices(&[Line { text: "seen".into(), quoted }]);
            assert!(block.starts_with("\n\n[Notice: seen]"), "{block}");
            assert_eq!(block.ends_with("y\n</a>"), there);
        }
    }
}
