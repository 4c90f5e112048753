//! The tools that read saved results back, made with `#[tool]` like anybody's.

#[cfg(feature = "regex")]
mod grep;
mod open;
mod page;

#[cfg(feature = "regex")]
use std::sync::OnceLock;
use std::{fmt::Write, sync::Arc};

use tool_macros::tool;

use crate::{
    artifact::{ArtifactEntry, ArtifactStore},
    context::CallContext,
    error::ToolError,
    excerpt::Excerpt,
    link::IntoTools,
    policy::{Limit, TruncationStrategy, Trust, Yields},
    run, sanitise,
    tool::{Entry, RegisteredTool},
};

/// Characters of one answer, where the registry has no limit of its own.
pub(crate) const PAGE: usize = 4000;

/// No title of an answer is longer.
pub(crate) const TITLE: usize = 260;

/// For what a fence takes up.
pub(crate) const LONGEST_NAME: &str = "artifact_chunk";

/// Characters that say how much of a list is missing.
const MORE: usize = 40;

/// Characters of an id that are shown; our own are shorter.
const ID: usize = 120;

/// The results that one registry saved.
struct Artifacts {
    store: Arc<dyn ArtifactStore>,
    /// Characters of one answer.
    page: usize,
    #[cfg_attr(not(feature = "regex"), expect(dead_code, reason = "there is nothing to search with"))]
    engine: Engine,
}

/// What searches. Whoever makes the tools reachable starts it, and only then does a linker find a way to it: the regular
/// expressions are 1.7 MB of a program that has sessions, and nothing of one that has none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Engine(#[cfg(feature = "regex")] Arc<OnceLock<Grep>>);

/// Of an artifact by its id, with a pattern; leaves out the first matches.
#[cfg(feature = "regex")]
type Grep = fn(&Artifacts, &CallContext, &str, &str, usize) -> Result<Excerpt, ToolError>;

impl Engine {
    #[cfg_attr(not(feature = "regex"), expect(clippy::unused_self, reason = "there is nothing to start"))]
    pub(crate) fn start(&self) {
        #[cfg(feature = "regex")]
        self.0.get_or_init(|| grep::grep);
    }
}

/// The tools over this store. `limit` bounds what the model reads, `page` the text that is asked of the store for it.
pub(crate) fn tools(store: &Arc<dyn ArtifactStore>, engine: &Engine, limit: usize, page: usize) -> Vec<RegisteredTool> {
    let mut tools = Artifacts { store: Arc::clone(store), page, engine: engine.clone() }.into_tools();
    for tool in &mut tools {
        // What the macro has no key for, because nobody else should.
        if let Entry::Ready { spec, .. } = &mut tool.0 {
            let spec = Arc::make_mut(spec);
            spec.yields = Yields::Excerpts;
            spec.stages.running = Some(&run::STAGE);
            spec.limit = Limit::Chars(limit);
            spec.strategy = Some(TruncationStrategy::HeadTail);
        }
    }
    tools
}

#[tool(prefix = "artifact", crate = crate)]
impl Artifacts {
    /// Reads the beginning of a saved result: one that was too long to be shown whole, and says `full output: …`.
    #[tool(read_only)]
    fn head(
        &self,
        #[inject] ctx: &CallContext,
        /// The id or path that stands behind `full output:`.
        id: &str,
        /// The most lines. Default: as many as fit.
        #[schemars(range(min = 1))]
        lines: Option<usize>,
    ) -> Result<Excerpt, ToolError> {
        let open = self.open(ctx, id)?;
        open.from(0, self.page, lines)
    }

    /// Reads the end of a saved result.
    #[tool(read_only)]
    fn tail(
        &self,
        #[inject] ctx: &CallContext,
        /// The id or path that stands behind `full output:`.
        id: &str,
        /// The most lines. Default: as many as fit.
        #[schemars(range(min = 1))]
        lines: Option<usize>,
    ) -> Result<Excerpt, ToolError> {
        let open = self.open(ctx, id)?;
        open.last(self.page, lines)
    }

    /// Reads a piece out of a saved result. To read all of it, go on at the offset where the last piece says that it
    /// continues.
    #[tool(read_only)]
    fn chunk(
        &self,
        #[inject] ctx: &CallContext,
        /// The id or path that stands behind `full output:`.
        id: &str,
        /// Where to begin, in characters from the beginning, which is 0.
        offset: u64,
        /// The most characters. Default and maximum: as many as fit.
        #[schemars(range(min = 1))]
        length: Option<usize>,
    ) -> Result<Excerpt, ToolError> {
        let open = self.open(ctx, id)?;
        open.from(offset, length.map_or(self.page, |length| length.min(self.page)), None)
    }

    /// Searches a saved result line by line with a regular expression. Every match says in which line it is, and at
    /// which offset the text begins that is shown.
    #[cfg(feature = "regex")]
    #[tool(read_only)]
    fn grep(
        &self,
        #[inject] ctx: &CallContext,
        /// The id or path that stands behind `full output:`.
        id: &str,
        /// A regular expression, for example `error|warning` or `(?i)user_id: \d+`. Without look-around and
        /// back-references.
        #[schemars(length(min = 1, max = 1000))]
        pattern: &str,
        /// How many matches to leave out, to see those that follow. Default: 0.
        #[serde(default)]
        skip: usize,
    ) -> Result<Excerpt, ToolError> {
        // No call comes here before a session, or whoever offers the tools outside of sessions, has started it.
        let grep = self.engine.0.get().ok_or_else(|| ToolError::new("nothing can be searched outside a session"))?;
        grep(self, ctx, id, pattern, skip)
    }

    /// Lists the saved results that can be read, the newest first.
    #[tool(read_only)]
    fn list(
        &self,
        #[inject] ctx: &CallContext,
        /// How many to leave out, to see those that follow. Default: 0.
        #[serde(default)]
        skip: usize,
    ) -> Result<Excerpt, ToolError> {
        let entries = self.entries(ctx)?;
        if entries.is_empty() {
            return Ok(Excerpt::ours("Nothing is saved here.".to_owned()));
        }
        Ok(Excerpt::ours(listing(&entries, skip, self.page)))
    }
}

/// As many lines as fit, and how many there are.
fn listing(entries: &[ArtifactEntry], skip: usize, page: usize) -> String {
    let room = page.saturating_sub(MORE);
    let mut text = String::new();
    let mut chars = 0;
    for (index, entry) in entries.iter().enumerate().skip(skip) {
        let line = line_of(entry);
        chars += line.chars().count();
        if chars > room && index > skip {
            // Writing to a `String` can't fail.
            let _ = write!(text, "… {} more; skip {index}", entries.len() - index);
            return text;
        }
        text.push_str(&line);
    }
    if text.is_empty() { format!("No more; there are {}.", entries.len()) } else { text.trim_end().to_owned() }
}

fn line_of(entry: &ArtifactEntry) -> String {
    let mut line = shown_id(&entry.id);
    let from_outside = if entry.meta.trust == Trust::External { ", from outside" } else { "" };
    // Writing to a `String` can't fail.
    let _ = writeln!(line, ": {} bytes{from_outside}", entry.size);
    line
}

/// A store's id on one line; whoever made the store chose it.
fn shown_id(id: &str) -> String {
    sanitise::line(id, ID)
}
