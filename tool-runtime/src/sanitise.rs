//! stub
use std::{borrow::Cow, ops::ControlFlow};
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) removed: usize,
    pub(crate) defused: usize,
}
pub(crate) struct Sanitised<'a>(Cow<'a, str>);
impl<'a> Sanitised<'a> {
    pub(crate) fn after_cut(s: String) -> Self {
        Self(s.into())
    }
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
    pub(crate) fn into_inner(self) -> Cow<'a, str> {
        self.0
    }
}
pub(crate) fn text(text: &str) -> (Sanitised<'_>, Counts) {
    (Sanitised(text.into()), Counts::default())
}
pub(crate) fn line(original: &str, max_chars: usize) -> String {
    original.chars().take(max_chars).collect()
}
pub(crate) fn media_type(t: &str) -> Cow<'_, str> {
    t.into()
}
pub(crate) fn pour(text: &str, push: &mut dyn FnMut(&str) -> ControlFlow<()>) -> (Counts, ControlFlow<()>) {
    (Counts::default(), push(text))
}
