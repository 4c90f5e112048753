//! The tools that read saved results back, made with `#[tool]` like anybody's.

#[cfg(feature = "regex")]
mod grep;
mod open;
mod page;

use std::{borrow::Borrow, fmt::Write, sync::Arc};

use tool_macros::tool;

use crate::{
    artifact::{ArtifactEntry, ArtifactStore},
    callable::{Entry, RegisteredTool},
    context::CallContext,
    error::ToolError,
    excerpt::Excerpt,
    fence,
    link::IntoTools,
    policy::{ArtifactTools, Limit, Policy, Scope, TruncationStrategy, Trust, Yields},
    registry::RegistryBuilder,
    sanitise,
};

/// Characters of one answer, where the registry has no limit of its own.
const PAGE: usize = 4000;

/// No title of an answer is longer.
const TITLE: usize = 260;

/// For what a fence takes up.
const LONGEST_NAME: &str = "artifact_chunk";

/// Characters that say how much of a list is missing.
const MORE: usize = 40;

/// Characters of an id that are shown; our own are shorter.
const ID: usize = 120;

/// The results that one registry saved.
struct Artifacts {
    store: Arc<dyn ArtifactStore>,
    /// Characters of one answer.
    page: usize,
}

impl RegistryBuilder {
    /// When there are tools to read saved results back with. Default: [`ArtifactTools::WhenSaved`]. Each answer is a
    /// page of at most [`default_max_result_size`](Self::default_max_result_size), or 4,000 characters where that is
    /// not set, and is never saved itself. A session reads what it saved, and what others saved where the store is
    /// shared; calls outside a session read what was saved outside any. Another tool of such a name is a
    /// [`BuildError`](crate::BuildError).
    pub fn artifact_tools(self, tools: ArtifactTools) -> Self {
        let mut builder = self.read_back(tools, make);
        builder.stages = builder.stages.with_presenting();
        builder
    }
}

/// The tools over this store, in a registry with these settings. Whoever names this function brings the regular
/// expressions into the program, 1.7 MB of it.
pub(crate) fn make(store: &Arc<dyn ArtifactStore>, defaults: &Policy) -> Vec<RegisteredTool> {
    let limit = defaults.limit.unwrap_or(PAGE);
    let page = match defaults.scope {
        Scope::Content => limit,
        Scope::Total => limit.saturating_sub(fence::overhead_chars(defaults.fence, LONGEST_NAME) + TITLE),
    };
    let mut tools = Tools(Artifacts { store: Arc::clone(store), page: page.max(1) }).into_tools();
    for tool in &mut tools {
        // What the macro has no key for, because nobody else should.
        if let Entry::Ready { spec, .. } = &mut tool.0 {
            let spec = Arc::make_mut(spec);
            spec.yields = Yields::Excerpts;
            spec.stages = spec.stages.with_presenting().with_running();
            spec.limit = Limit::Chars(limit);
            spec.strategy = Some(TruncationStrategy::HeadTail);
        }
    }
    tools
}

/// Generic, although there is but one such value: of a generic block no tool is among the linked ones, which stand in
/// every program with all that they call.
struct Tools<A>(A);

#[tool(prefix = "artifact", crate = crate)]
impl<A: Borrow<Artifacts> + Send + Sync + 'static> Tools<A> {
    fn artifacts(&self) -> &Artifacts {
        self.0.borrow()
    }

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
        let open = self.artifacts().open(ctx, id)?;
        open.from(0, self.artifacts().page, lines)
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
        let open = self.artifacts().open(ctx, id)?;
        open.last(self.artifacts().page, lines)
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
        let open = self.artifacts().open(ctx, id)?;
        open.from(offset, length.map_or(self.artifacts().page, |length| length.min(self.artifacts().page)), None)
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
        grep::grep(self.artifacts(), ctx, id, pattern, skip)
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
        let entries = self.artifacts().entries(ctx)?;
        if entries.is_empty() {
            return Ok(Excerpt::ours("Nothing is saved here.".to_owned()));
        }
        Ok(Excerpt::ours(listing(&entries, skip, self.artifacts().page)))
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
