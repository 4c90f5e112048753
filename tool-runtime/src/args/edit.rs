//! Changes to the text. Whatever changes makes new text, and new text is scanned again: nothing is trusted twice.

use super::members::Span;

#[derive(Debug)]
pub(super) struct Edit {
    pub(super) span: Span,
    pub(super) text: String,
}

/// `text` with every edit made; an edit inside another one is part of it. No two of them start at the same byte.
pub(super) fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    // Sorts places, and so is compiled once for whatever is sorted by a number.
    edits.sort_by_cached_key(|edit| edit.span.start());
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        if edit.span.start() >= done {
            out.push_str(Span::new(done, edit.span.start()).of(text));
            out.push_str(&edit.text);
            done = edit.span.end();
        }
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_inside_another_is_part_of_it() {
        let edit = |start, end, text: &str| Edit { span: Span::new(start, end), text: text.into() };
        assert_eq!(apply("0123456789", vec![edit(8, 9, "x"), edit(2, 6, ""), edit(3, 4, "y")]), "0167x9");
    }
}
