//! Renames what serde writes from `&'static str`: fields and variants, which can't be replaced on the way in.

use std::{cell::Cell, io};

use serde_json::ser::{CharEscape, CompactFormatter, Formatter};

use super::text::quote;

/// Compact JSON in which the next string may be replaced by another.
pub(super) struct Names<'s> {
    next: &'s Cell<Option<String>>,
    /// Inside a string whose replacement has been written already.
    muted: bool,
}

impl<'s> Names<'s> {
    pub(super) fn new(next: &'s Cell<Option<String>>) -> Self {
        Self { next, muted: false }
    }
}

impl Formatter for Names<'_> {
    fn begin_string<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        match self.next.take() {
            Some(name) => {
                self.muted = true;
                let mut quoted = String::with_capacity(name.len() + 2);
                quote(&name, &mut quoted);
                writer.write_all(quoted.as_bytes())
            }
            None => writer.write_all(b"\""),
        }
    }

    fn end_string<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if std::mem::take(&mut self.muted) { Ok(()) } else { writer.write_all(b"\"") }
    }

    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if self.muted { Ok(()) } else { writer.write_all(fragment.as_bytes()) }
    }

    fn write_char_escape<W: ?Sized + io::Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        if self.muted { Ok(()) } else { CompactFormatter.write_char_escape(writer, escape) }
    }
}
