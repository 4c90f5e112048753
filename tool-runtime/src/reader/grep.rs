//! Searches an artifact of any size in linear time and in little memory.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use regex::bytes::{Regex, RegexBuilder};

use super::{Artifacts, open::Open, page::is_first};
use crate::{context::CallContext, error::ToolError, excerpt::Excerpt, sanitise};

/// Characters of a pattern, and groups in groups.
const PATTERN_CHARS: usize = 1000;
const PATTERN_DEPTH: u32 = 50;

/// Bytes of a compiled pattern, and of what it remembers while it runs. A search takes time by their product with
/// the length of the text.
const PATTERN_BYTES: usize = 1 << 20;

/// Bytes of a line that are searched at once; a longer one is searched in pieces.
const WINDOW: usize = 64 * 1024;

/// Bytes by which these overlap: a longer match at their border may be missed.
const OVERLAP: usize = 8 * 1024;

/// Bytes shown of one match, and before it in a longer line.
const SHOWN: usize = 300;
const BEFORE: usize = 80;

/// A search that takes longer says how far it came.
const PATIENCE: Duration = Duration::from_secs(10);

/// The matches of a pattern in one artifact after the first `skip`, as many as fit on a page.
pub(super) fn grep(
    artifacts: &Artifacts,
    ctx: &CallContext,
    id: &str,
    pattern: &str,
    skip: usize,
) -> Result<Excerpt, ToolError> {
    let pattern = compile(pattern)?;
    search(&artifacts.open(ctx, id)?, &pattern, skip, artifacts.page, ctx)
}

fn compile(pattern: &str) -> Result<Regex, ToolError> {
    let refused = |why: &str| {
        ToolError::new(format_args!(
            "`pattern` is no regular expression that can be searched for: {why}. To search for a character such as `(` \
             itself, write `\\(`"
        ))
    };
    if pattern.chars().count() > PATTERN_CHARS {
        return Err(refused(&format!("it is longer than {PATTERN_CHARS} characters")));
    }
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES).nest_limit(PATTERN_DEPTH);
    builder.build().map_err(|error| match &error {
        regex::Error::CompiledTooBig(_) => refused("it becomes too large; use fewer or smaller repetitions"),
        // The pattern itself, with a mark below it, comes before.
        error => refused(&sanitise::line(error.to_string().rsplit("error: ").next().unwrap_or_default(), 200)),
    })
}

fn search(open: &Open<'_>, pattern: &Regex, skip: usize, page: usize, ctx: &CallContext) -> Result<Excerpt, ToolError> {
    let mut lines = Lines::default();
    let mut found = Found { pattern, skip, page, matches: 0, chars: 0, text: String::new(), is_full: false };
    let began = Instant::now();
    let mut left_at = None;
    'all: for piece in open.pieces() {
        let (begin, bytes) = piece?;
        for (index, part) in bytes.chunks(WINDOW).enumerate() {
            if ctx.cancellation().is_cancelled() || began.elapsed() > PATIENCE {
                left_at = Some(begin + (index * WINDOW) as u64);
                break 'all;
            }
            lines.feed(part, &mut found);
            if found.is_full {
                break 'all;
            }
        }
    }
    if left_at.is_none() && !found.is_full {
        lines.finish(&mut found);
    }
    Ok(found.excerpt(open, left_at))
}

/// Cuts what comes in pieces into lines, and very long lines into windows.
#[derive(Default)]
struct Lines {
    /// The line that has not come to its end; of a very long one, its last window.
    rest: Vec<u8>,
    window: Window,
}

/// What is known of the beginning of `rest`.
#[derive(Clone, Copy, Default)]
struct Window {
    /// Lines before.
    line: u64,
    /// Characters before.
    offset: u64,
    /// Bytes of this window that were searched with the one before.
    searched: usize,
    /// Whether the line began earlier.
    is_inside: bool,
}

impl Lines {
    fn feed(&mut self, bytes: &[u8], found: &mut Found<'_>) {
        let mut bytes = bytes;
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, after) = bytes.split_at(end + 1);
            bytes = after;
            if self.rest.is_empty() {
                self.line(line, found);
            } else {
                self.rest.extend_from_slice(line);
                let whole = std::mem::take(&mut self.rest);
                self.line(&whole, found);
                self.rest = whole;
                self.rest.clear();
            }
            if found.is_full {
                return;
            }
        }
        self.rest.extend_from_slice(bytes);
        if self.rest.len() > WINDOW {
            self.slide(found);
        }
    }

    /// A line up to its end.
    fn line(&mut self, line: &[u8], found: &mut Found<'_>) {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        found.window(text.strip_suffix(b"\r").unwrap_or(text), self.window, text.len() + 1);
        let offset = self.window.offset + bytecount::num_chars(line) as u64;
        self.window = Window { line: self.window.line + 1, offset, searched: 0, is_inside: false };
    }

    /// Searches what there is of a line, and forgets all but its end.
    fn slide(&mut self, found: &mut Found<'_>) {
        let until = self.rest.len() - OVERLAP;
        let searched = found.window(&self.rest, self.window, until).max(until);
        // What comes before a match tells whether a word begins there, and what is shown.
        let mut cut = until.saturating_sub(OVERLAP);
        while cut < self.rest.len() && !is_first(self.rest[cut]) {
            cut += 1;
        }
        self.window.offset += bytecount::num_chars(&self.rest[..cut]) as u64;
        self.window.searched = searched.saturating_sub(cut);
        self.window.is_inside = true;
        self.rest.drain(..cut);
    }

    fn finish(&mut self, found: &mut Found<'_>) {
        if !self.rest.is_empty() {
            let rest = std::mem::take(&mut self.rest);
            self.line(&rest, found);
        }
    }
}

/// The matches so far.
struct Found<'p> {
    pattern: &'p Regex,
    skip: usize,
    page: usize,
    matches: usize,
    /// Of `text`.
    chars: usize,
    text: String,
    /// There was a match that did not fit.
    is_full: bool,
}

impl Found<'_> {
    /// Finds the matches that begin before `until`; the first only in a line that is shown whole. Gives the place up
    /// to which everything was shown.
    fn window(&mut self, bytes: &[u8], window: Window, until: usize) -> usize {
        let is_short = !window.is_inside && bytes.len() <= SHOWN;
        let mut at = window.searched;
        while at <= bytes.len() {
            let Some(found) = self.pattern.find_at(bytes, at).filter(|found| found.start() < until) else { break };
            let (from, to) = if is_short { (0, bytes.len()) } else { around(bytes, found.start(), at) };
            self.add(bytes, window, from..to);
            // A match without characters is behind itself too.
            at = to.max(found.end()).max(found.start() + 1);
            if is_short || self.is_full {
                break;
            }
        }
        at
    }

    fn add(&mut self, bytes: &[u8], window: Window, shown: std::ops::Range<usize>) {
        self.matches += 1;
        if self.matches <= self.skip {
            return;
        }
        let offset = window.offset + bytecount::num_chars(&bytes[..shown.start]) as u64;
        let before = if window.is_inside || shown.start > 0 { "…" } else { "" };
        let after = if shown.end < bytes.len() { "…" } else { "" };
        let text = String::from_utf8_lossy(&bytes[shown]);
        let mut entry = String::new();
        // Writing to a `String` can't fail.
        let _ = writeln!(entry, "{}@{offset}: {before}{text}{after}", window.line + 1);
        let chars = entry.chars().count();
        // The first one is shown in any case; should it be too long, it is cut.
        if self.chars + chars > self.page && self.chars > 0 {
            self.is_full = true;
            self.matches -= 1;
            return;
        }
        self.chars += chars;
        self.text.push_str(&entry);
    }

    fn excerpt(self, open: &Open<'_>, left_at: Option<u64>) -> Excerpt {
        let Self { skip, matches, text, is_full, .. } = self;
        let id = &open.id;
        let limits = match left_at {
            Some(byte) => format!("; searched only {byte} of {} bytes, a simpler pattern is faster", open.size),
            None if is_full => format!("; more follow, skip {matches}"),
            None => String::new(),
        };
        if text.is_empty() {
            let what = if matches == 0 { "no match".to_owned() } else { format!("no more matches, {matches} in all") };
            return Excerpt::ours(format!("{id}: {what}{limits}."));
        }
        let title = format!("{id}: matches {} to {matches}, each as line@offset{limits}", skip + 1);
        Excerpt { title: Some(title), text: text.trim_end_matches('\n').to_owned(), trust: open.trust }
    }
}

/// What to show of a long line: the match at `start` with what stands round it, but nothing before `at`.
fn around(bytes: &[u8], start: usize, at: usize) -> (usize, usize) {
    let mut from = start.saturating_sub(BEFORE).max(at);
    while from < start && !is_first(bytes[from]) {
        from += 1;
    }
    let mut to = bytes.len().min(from + SHOWN);
    while to < bytes.len() && !is_first(bytes[to]) {
        to += 1;
    }
    (from, to)
}
