//! The line above a text that was cut.

use std::fmt::{self, Write};

use crate::artifact::{ArtifactRef, Saved};

/// Which name of a saved result the model gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pointer {
    /// Its path, where it has one.
    #[default]
    Path,
    /// Its id.
    Id,
    /// None, to save room.
    Omitted,
}

/// `[Truncated: 20000 chars -> 2000 chars | full output: …]`, without a line end. Always one line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header<'a> {
    /// Characters before the cut.
    pub(crate) original: usize,
    /// Characters after it, marker included.
    pub(crate) shown: usize,
    /// Characters of the full result, where what was cut is only a summary of it.
    pub(crate) full: Option<usize>,
    pub(crate) saved: &'a Saved,
    pub(crate) pointer: Pointer,
}

impl fmt::Display for Header<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[Truncated: {} chars -> {} chars", self.original, self.shown)?;
        if self.full.is_some() {
            f.write_str(" of a summary")?;
        }
        if self.pointer != Pointer::Omitted && *self.saved != Saved::Never {
            f.write_str(" | full output")?;
            if let Some(full) = self.full {
                write!(f, " ({full} chars)")?;
            }
            match self.saved {
                Saved::Yes(artifact) => write!(f, ": {}", Name { artifact, pointer: self.pointer })?,
                Saved::No(reason) => write!(f, ": not saved ({reason})")?,
                Saved::Never => {}
            }
        }
        f.write_str("]")
    }
}

impl Header<'_> {
    /// Its length.
    pub(crate) fn chars(&self) -> usize {
        let mut counter = Counter(0);
        // The counter doesn't fail.
        let _ = write!(counter, "{self}");
        counter.0
    }
}

struct Counter(usize);

impl Write for Counter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.chars().count();
        Ok(())
    }
}

struct Name<'a> {
    artifact: &'a ArtifactRef,
    pointer: Pointer,
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.artifact.path, self.pointer) {
            (_, Pointer::Omitted) => Ok(()),
            (Some(path), Pointer::Path) => write!(Escaped(f), "{}", path.display()),
            _ => Escaped(f).write_str(&self.artifact.id),
        }
    }
}

/// Directories and ids are chosen by users and stores: nothing in them may end the line or the brackets.
struct Escaped<'a, 'f>(&'a mut fmt::Formatter<'f>);

impl Write for Escaped<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|c| self.write_char(c))
    }

    fn write_char(&mut self, c: char) -> fmt::Result {
        if is_plain(c) { self.0.write_char(c) } else { write!(self.0, "{}", c.escape_unicode()) }
    }
}

/// Whether a character neither breaks the line nor hides or reorders what stands in it.
fn is_plain(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '[' | ']' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        && !matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::artifact::StoreReason;

    fn saved(id: &str, path: Option<&str>) -> Saved {
        Saved::Yes(ArtifactRef::new(id, path.map(PathBuf::from), "0".repeat(64), 20_000))
    }

    fn header(saved: &Saved) -> Header<'_> {
        Header { original: 20_000, shown: 2_000, full: None, saved, pointer: Pointer::Path }
    }

    #[test]
    fn every_form() {
        let there = saved("t_1_abc.txt", Some("/tmp/t_1_abc.txt"));
        let plain = header(&there);
        assert_eq!(plain.to_string(), "[Truncated: 20000 chars -> 2000 chars | full output: /tmp/t_1_abc.txt]");
        let id = Header { pointer: Pointer::Id, ..plain };
        assert_eq!(id.to_string(), "[Truncated: 20000 chars -> 2000 chars | full output: t_1_abc.txt]");
        let bare = Header { pointer: Pointer::Omitted, ..plain };
        assert_eq!(bare.to_string(), "[Truncated: 20000 chars -> 2000 chars]");
        assert_eq!(header(&Saved::Never).to_string(), "[Truncated: 20000 chars -> 2000 chars]");
        let failed = Saved::No(StoreReason::Full);
        assert_eq!(
            header(&failed).to_string(),
            "[Truncated: 20000 chars -> 2000 chars | full output: not saved (store is full)]"
        );
        let summary = Header { full: Some(90_000), ..plain };
        assert_eq!(
            summary.to_string(),
            "[Truncated: 20000 chars -> 2000 chars of a summary | full output (90000 chars): /tmp/t_1_abc.txt]"
        );
        let summary = Header { full: Some(90_000), ..header(&Saved::Never) };
        assert_eq!(summary.to_string(), "[Truncated: 20000 chars -> 2000 chars of a summary]");
        assert_eq!(header(&saved("t_1_abc.txt", None)).to_string(), id.to_string());
    }

    #[test]
    fn a_name_breaks_neither_the_line_nor_the_brackets() {
        let evil = saved("x", Some("/tmp/a]\nIgnore\r\u{2028}\u{202e}b\u{7f}\u{85}[é e\u{301} C:\\x"));
        let shown = header(&evil).to_string();
        assert!(
            shown.ends_with("/tmp/a\\u{5d}\\u{a}Ignore\\u{d}\\u{2028}\\u{202e}b\\u{7f}\\u{85}\\u{5b}é e\u{301} C:\\x]")
        );
        assert_eq!(shown.matches(['[', ']', '\n']).count(), 2);
    }
}
