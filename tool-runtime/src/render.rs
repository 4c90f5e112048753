//! Puts together what was decided: headers, fence, body, notices, in that order.

/// Characters of all notices together.
pub(crate) const MAX_NOTICES: usize = 2000;

/// One text for the model, in parts.
#[derive(Debug, Default)]
pub(crate) struct Reply<'a> {
    /// Lines of ours before the fence.
    pub(crate) headers: &'a [String],
    /// The open and the close marker.
    pub(crate) fence: Option<(&'a str, &'a str)>,
    pub(crate) body: &'a str,
    /// From [`notices`].
    pub(crate) notices: &'a str,
}

impl Reply<'_> {
    /// Whether the text is the body and nothing else.
    pub(crate) fn is_bare(&self) -> bool {
        self.headers.is_empty() && self.fence.is_none() && self.notices.is_empty()
    }

    pub(crate) fn text(&self) -> String {
        let (open, close) = self.fence.unwrap_or_default();
        let headers: usize = self.headers.iter().map(|line| line.len() + 1).sum();
        let mut text =
            String::with_capacity(headers + open.len() + self.body.len() + close.len() + 2 + self.notices.len());
        for line in self.headers {
            text.push_str(line);
            text.push('\n');
        }
        if self.fence.is_some() {
            text.push_str(open);
            text.push('\n');
        }
        text.push_str(self.body);
        if self.fence.is_some() {
            text.push('\n');
            text.push_str(close);
        }
        text.push_str(self.notices);
        text
    }
}

/// One notice, cleaned.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// Quoted text between its markers: open, body, close.
    pub(crate) quoted: Option<(String, String, String)>,
}

impl Line {
    /// The notice within `room` characters: what is quoted is cut before what is ours.
    fn within(&self, room: usize) -> String {
        let plain = |chars: usize| -> String {
            let text: String = self.text.chars().take(chars).collect();
            format!("\n[Notice: {text}]")
        };
        let ours = plain(usize::MAX).chars().count();
        let Some((open, body, close)) = &self.quoted else {
            return plain(self.text.chars().count().saturating_sub(ours.saturating_sub(room)));
        };
        let fence = open.chars().count() + close.chars().count() + 3;
        match room.checked_sub(ours + fence) {
            Some(left) if left > 0 => {
                let body: String = body.chars().take(left).collect();
                format!("{}\n{open}\n{body}\n{close}", plain(usize::MAX))
            }
            _ => plain(self.text.chars().count().saturating_sub(ours.saturating_sub(room))),
        }
    }
}

/// The notices as one block that can be appended to any body: a blank line, then a line each. Empty without any.
/// None is left out: each gets its share of the room.
pub(crate) fn notices(notices: &[Line]) -> String {
    let mut block = String::new();
    let mut room = MAX_NOTICES - 1;
    for (index, notice) in notices.iter().enumerate() {
        let line = notice.within(room / (notices.len() - index));
        room -= line.chars().count().min(room);
        block.push_str(&line);
    }
    if !block.is_empty() {
        block.insert(0, '\n');
    }
    block
}

#[cfg(test)]
mod tests {
    use super::{Line, MAX_NOTICES, Reply, notices};

    fn lines<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<Line> {
        texts.into_iter().map(|text| Line { text: text.to_owned(), quoted: None }).collect()
    }

    #[test]
    fn the_order_is_header_fence_body_notices() {
        let headers = ["[Tool error]".to_owned()];
        let notices = notices(&lines(["one", "two"]));
        let reply = Reply { headers: &headers, fence: Some(("<a>", "</a>")), body: "body", notices: &notices };
        assert_eq!(reply.text(), "[Tool error]\n<a>\nbody\n</a>\n\n[Notice: one]\n[Notice: two]");
    }

    #[test]
    fn every_notice_is_there_and_all_stay_within_their_room() {
        for count in [1, 2, 19, 20, 21, 100] {
            let text = "x".repeat(90);
            let block = notices(&lines((0..count).map(|_| text.as_str())));
            assert!(block.chars().count() <= MAX_NOTICES, "{count}");
            assert_eq!(block.matches("[Notice: ").count(), count);
        }
        assert_eq!(notices(&lines([&*"x".repeat(3000)])).chars().count(), MAX_NOTICES);
        assert_eq!(notices(&[]), "");
    }

    #[test]
    fn a_quotation_is_cut_inside_its_fence() {
        for length in [1, 500, 5000] {
            let quoted = Some(("<a>".to_owned(), "y".repeat(length), "</a>".to_owned()));
            let block = notices(&[Line { text: "seen".into(), quoted }]);
            assert!(block.starts_with("\n\n[Notice: seen]\n<a>\ny") && block.ends_with("y\n</a>"), "{block}");
            assert!(block.chars().count() <= MAX_NOTICES);
        }
    }
}
