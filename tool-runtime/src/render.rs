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

/// The notices as one block that can be appended to any body: a blank line, then a line each. Empty without any.
pub(crate) fn notices(notices: &[String]) -> String {
    let mut block = String::new();
    let mut room = MAX_NOTICES;
    for (index, notice) in notices.iter().enumerate() {
        let line = format!("\n[Notice: {notice}]");
        let chars = line.chars().count();
        // Kept back for the line below.
        let reserve = if index + 1 == notices.len() { 0 } else { 40 };
        if chars + reserve + 1 > room {
            let rest = notices.len() - index;
            block.push_str("\n[Notice: and ");
            block.push_str(&rest.to_string());
            block.push_str(" more]");
            break;
        }
        room -= chars;
        block.push_str(&line);
    }
    if !block.is_empty() {
        block.insert(0, '\n');
    }
    block
}

#[cfg(test)]
mod tests {
    use super::{MAX_NOTICES, Reply, notices};

    #[test]
    fn the_order_is_header_fence_body_notices() {
        let headers = ["[Tool error]".to_owned()];
        let notices = notices(&["one".to_owned(), "two".to_owned()]);
        let reply = Reply { headers: &headers, fence: Some(("<a>", "</a>")), body: "body", notices: &notices };
        assert_eq!(reply.text(), "[Tool error]\n<a>\nbody\n</a>\n\n[Notice: one]\n[Notice: two]");
    }

    #[test]
    fn notices_stay_within_their_room() {
        for count in [1, 2, 19, 20, 21, 500] {
            let many: Vec<String> = (0..count).map(|_| "x".repeat(90)).collect();
            assert!(notices(&many).chars().count() <= MAX_NOTICES, "{count}");
        }
        assert_eq!(notices(&["x".repeat(3000)]), "\n\n[Notice: and 1 more]");
        assert_eq!(notices(&[]), "");
    }
}
