//! What a tool and its registry decided about one result.

/// How text over the limit is cut. Without one, JSON objects get [`Fields`](Self::Fields) and
/// everything else gets [`HeadTail`](Self::HeadTail).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TruncationStrategy {
    /// The beginning and the end, with a marker between them that says by how many characters the text was too long;
    /// where the marker doesn't fit, the beginning only. The default for all but JSON objects.
    #[default]
    HeadTail,
    /// The beginning only.
    Head,
    /// Strings inside a JSON object that are longer than the field limit are shortened, at any depth. Where that is
    /// not enough, and for what is no JSON object, the same as `HeadTail`. The field limit is the limit itself unless
    /// [`field_limit`](crate::RegistryBuilder::field_limit) sets a smaller one, as a rule a fraction of the limit: a
    /// string of the whole limit leaves no room for the rest of its object. The default for JSON objects.
    Fields,
    /// What is shown is always JSON, and says what is missing: the largest values are cut first, strings in their
    /// middle (`"zzz… 59950 chars more …zzz"`); lists end with `"… 4980 more"`; objects that can't hold all their
    /// keys lose their largest members (`"…":"3 more"`). The outermost object gets `"_missing"`, the outermost
    /// list `{"_missing": n}` at its end: how many values inside are cut or not shown. Where nothing fits: `null`.
    /// Text that is no JSON object, list or string gets `HeadTail`.
    Structure,
}

/// Where a cut may fall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Snap {
    /// Between any two characters (Unicode scalar values).
    #[default]
    Chars,
    /// At line ends, so that no half line is shown; between characters where not even one line fits.
    Lines,
    /// Between what a reader sees as characters: accents, families of emoji, flags and CRLF stay whole, but for
    /// clusters and rows of flags of more than 256 scalar values. Needs feature `graphemes`.
    #[cfg(feature = "graphemes")]
    Graphemes,
}

/// What `max_result_size` bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scope {
    /// The text below the header, cut marker included. Header, fence and notices come on top. The default.
    #[default]
    Content,
    /// Everything the model reads: header, fence, text and notices. What is ours is never cut, so the least that it
    /// comes to is a header without a pointer (about 60 characters), the fence (about 110 and the tool's name) and the
    /// notices.
    Total,
}

/// Whether the text of a result was chosen by somebody outside the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Trust {
    /// The program's own text: shown as it is. The default.
    #[default]
    Trusted,
    /// Text from outside: sanitised and fenced.
    External,
}

/// The marker round external text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FenceStyle {
    /// Markers carry an id that only the runtime can compute. The default.
    #[default]
    Keyed,
    /// `<external_tool_result>` and `</external_tool_result>`, each on its own line.
    Plain,
}

/// When the full result is kept in the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Keep {
    /// When the text the model reads was cut. The default.
    #[default]
    OnCut,
    /// Beside every view; a notice gives its id. Of content parts the texts are kept: what else the model got, it has
    /// got whole.
    Always,
}

/// Which conversations get the tools that read saved results back: `artifact_head`, `artifact_tail`, `artifact_chunk`,
/// `artifact_grep` (with feature `regex`) and `artifact_list`. A registry without a store has none of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArtifactTools {
    /// A session, from its first saved result on. The default.
    #[default]
    WhenSaved,
    /// Every registry and every session, from the beginning.
    Always,
    /// None.
    Never,
}

/// What the tools that read artifacts are called.
pub(crate) const READERS: &[&str] = &[
    "artifact_chunk",
    #[cfg(feature = "regex")]
    "artifact_grep",
    "artifact_head",
    "artifact_list",
    "artifact_tail",
];

/// What may be repaired in a model's arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coercion {
    /// Repairs that lose nothing, each noted in the receipt. The default. Text: empty or `null` for `{}`, a code fence
    /// or control token round the object, trailing commas, single quotes, bare keys, `True`/`False`/`None`, the object
    /// encoded as a string. Values: `"5"` for 5, `5.0` for 5, `"true"`, JSON text where an object or a list is wanted, a
    /// number for a string, one value for a list of one, null or `""` for what is optional, an enum's spelling. Keys:
    /// case, `-` and `_`. A key that is like none of the parameters is left out, and the model is told. Text that was cut
    /// off is never completed.
    #[default]
    Lossless,
    /// Nothing is repaired, and unknown keys are refused.
    Strict,
}

/// A tool's own limit, before the registry's default is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Limit {
    /// The registry's default.
    #[default]
    Inherit,
    /// No limit, whatever the registry says.
    Unlimited,
    /// Characters.
    Chars(usize),
}

/// The most bytes of media in one result, where nothing else is said: 10 MiB. In Base64 that is 14 MB, which every
/// provider takes in one request (Gemini, the strictest, takes 20 MB).
pub(crate) const MEDIA_BYTES: usize = 10 * 1024 * 1024;

/// What a tool gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Yields {
    /// Results of its own.
    #[default]
    Results,
    /// Pieces of saved results: one of our own tools. It waits for the store where a save would, and what it gives is
    /// never saved again.
    Excerpts,
}

/// Everything the stages after the call need to know, with the registry's defaults filled in.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Policy {
    /// Characters; `None` is no limit.
    pub(crate) limit: Option<usize>,
    /// Tokens; `None` is no limit.
    pub(crate) tokens: Option<usize>,
    pub(crate) strategy: Option<TruncationStrategy>,
    pub(crate) snap: Snap,
    /// Characters; `None` is the limit itself.
    pub(crate) field_limit: Option<usize>,
    pub(crate) scope: Scope,
    pub(crate) trust: Trust,
    pub(crate) keep: Keep,
    pub(crate) fence: FenceStyle,
    pub(crate) yields: Yields,
    /// Bytes of media; `None` is no limit.
    pub(crate) media_bytes: Option<usize>,
}

impl TruncationStrategy {
    /// As written in `truncation = …` and in receipts.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::HeadTail => "head_tail",
            Self::Head => "head",
            Self::Fields => "fields",
            Self::Structure => "structure",
        }
    }
}
