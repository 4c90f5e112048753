//! What can go wrong, for the model ([`Problem`], [`ToolError`]) and for the developer ([`BuildError`]).

use std::{error::Error, fmt, time::Duration};

use serde::{Serialize, Serializer, ser::SerializeStruct};

/// A tool's failure: the model reads its `Display`.
///
/// Any [`std::error::Error`] turns into one with `?`; that is why `ToolError` is not an `Error` itself.
#[derive(Debug)]
pub struct ToolError {
    message: String,
    /// In a box, so that a result is no larger for it.
    more: Option<Box<More>>,
}

/// What the program may know of an error beyond its text.
#[derive(Debug, Default)]
struct More {
    source: Option<Box<dyn Error + Send + Sync>>,
    /// Whether the same call may go well a moment later.
    is_transient: bool,
    /// Not before so much time.
    pause: Option<Duration>,
}

impl ToolError {
    /// An error with this text.
    ///
    /// ```
    /// let error = tool_runtime::ToolError::new("no such city");
    /// assert_eq!(error.to_string(), "no such city");
    /// ```
    pub fn new(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), more: None }
    }

    /// Says that the same call may go well a moment later: the server was busy, a lock was held. Where the tool has
    /// [`retries`](crate::ToolSpec::retries) left it is run again, after a pause; else this changes nothing. Only the
    /// tool can know that, and that it may be run twice.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_runtime::ToolError;
    ///
    /// let busy = ToolError::new("the server is busy").transient();
    /// assert!(busy.is_transient());
    /// let limited = ToolError::new("too many requests").retry_after(Duration::from_secs(2));
    /// assert!(limited.is_transient());
    /// assert!(!ToolError::new("no such city").is_transient());
    /// ```
    #[must_use]
    pub fn transient(mut self) -> Self {
        self.more().is_transient = true;
        self
    }

    /// The same, and how long to wait before, for instance what a server said in `Retry-After`. A pause of more than
    /// 60 seconds, or one that would outlast the tool's `timeout`, is not waited for: the error is the result.
    #[must_use]
    pub fn retry_after(mut self, pause: Duration) -> Self {
        let more = self.more();
        (more.is_transient, more.pause) = (true, Some(pause));
        self
    }

    /// Whether the same call may go well a moment later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        self.more.as_ref().is_some_and(|more| more.is_transient)
    }

    fn more(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }

    /// Lets go of the error that `?` converted, whose `Drop` is the user's.
    pub(crate) fn forget_source(&mut self) {
        drop(self.more.as_mut().and_then(|more| more.source.take()));
    }

    /// How long to wait before, where that is known.
    pub(crate) fn pause(&self) -> Option<Duration> {
        self.more.as_ref()?.pause
    }

    /// The error that `?` converted, if it is an `E`.
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        self.more.as_ref()?.source.as_deref()?.downcast_ref()
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        let message = error.to_string();
        Self { message, more: Some(Box::new(More { source: Some(Box::new(error)), ..More::default() })) }
    }
}

/// One thing wrong with a call's arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// JSON Pointer (RFC 6901) into the arguments; empty for the whole.
    pub path: String,
    /// What kind of problem.
    pub kind: ProblemKind,
    /// What would have been right, in words for a model.
    pub expected: String,
    /// What came: its type and at most 80 characters of it, escaped.
    pub got: String,
}

/// The kinds of [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The text is not JSON.
    InvalidJson,
    /// The text ends in the middle; it is never completed by guessing.
    CutOff,
    /// Nested deeper than the registry allows.
    TooDeep,
    /// Longer than the registry allows.
    ArgumentsTooLarge,
    /// The arguments are not a JSON object.
    NotAnObject,
    /// A key stands twice with different values.
    DuplicateKey,
    /// No parameter has this name.
    UnknownField,
    /// A required parameter is absent.
    Missing,
    /// The value is of another type.
    InvalidType,
    /// The number does not fit the parameter's type.
    NumberOutOfRange,
    /// The value breaks a limit of the schema.
    OutOfBounds,
}

impl ProblemKind {
    /// In snake case, as it is serialised.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::InvalidJson => "invalid_json",
            Self::CutOff => "cut_off",
            Self::TooDeep => "too_deep",
            Self::ArgumentsTooLarge => "arguments_too_large",
            Self::NotAnObject => "not_an_object",
            Self::DuplicateKey => "duplicate_key",
            Self::UnknownField => "unknown_field",
            Self::Missing => "missing",
            Self::InvalidType => "invalid_type",
            Self::NumberOutOfRange => "number_out_of_range",
            Self::OutOfBounds => "out_of_bounds",
        }
    }
}

// Written out: a derive would bring serde_derive into every user's build.
impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Problem", 4)?;
        object.serialize_field("path", &self.path)?;
        object.serialize_field("kind", self.kind.name())?;
        object.serialize_field("expected", &self.expected)?;
        object.serialize_field("got", &self.got)?;
        object.end()
    }
}

/// Why a registry could not be built: every reason at once, a line each.
pub struct BuildError {
    reasons: Vec<(BuildReason, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuildReason {
    DuplicateTool,
    NotATool,
    InvalidName,
    ZeroLimit,
    InvalidSchema,
    NoEntropy,
    DuplicateState,
    MissingState,
    NoApprover,
    InvalidLoopGuard,
    Inexpressible,
}

impl BuildError {
    pub(crate) fn new(reasons: Vec<(BuildReason, String)>) -> Self {
        Self { reasons }
    }

    fn has(&self, reason: BuildReason) -> bool {
        self.reasons.iter().any(|(known, _)| *known == reason)
    }

    /// Two tools share a name.
    pub fn is_duplicate_tool(&self) -> bool {
        self.has(BuildReason::DuplicateTool)
    }

    /// `tools!` was given a function without `#[tool]`.
    pub fn is_not_a_tool(&self) -> bool {
        self.has(BuildReason::NotATool)
    }

    /// A name that no provider accepts.
    pub fn is_invalid_name(&self) -> bool {
        self.has(BuildReason::InvalidName)
    }

    /// A limit of 0: of characters, tokens, or calls at the same time.
    pub fn is_zero_limit(&self) -> bool {
        self.has(BuildReason::ZeroLimit)
    }

    /// An `#[inject]` parameter has no state to take.
    pub fn is_missing_state(&self) -> bool {
        self.has(BuildReason::MissingState)
    }

    /// Two states of one type.
    pub fn is_duplicate_state(&self) -> bool {
        self.has(BuildReason::DuplicateState)
    }

    /// A tool needs approval, and there is no approver.
    pub fn is_missing_approver(&self) -> bool {
        self.has(BuildReason::NoApprover)
    }

    /// The counts of the loop guard are out of order.
    pub fn is_invalid_loop_guard(&self) -> bool {
        self.has(BuildReason::InvalidLoopGuard)
    }

    /// A tool that a declared dialect can't express.
    pub fn is_inexpressible(&self) -> bool {
        self.has(BuildReason::Inexpressible)
    }

    /// The operating system gave no random key for the fence.
    pub fn is_no_entropy(&self) -> bool {
        self.has(BuildReason::NoEntropy)
    }

    /// A tool's schema is not the schema of an object.
    pub fn is_invalid_schema(&self) -> bool {
        self.has(BuildReason::InvalidSchema)
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (_, message)) in self.reasons.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            f.write_str(message)?;
        }
        Ok(())
    }
}

/// The same as `Display`: it is what a `main` that returns the error prints.
impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for BuildError {}
