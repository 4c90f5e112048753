//! Lets the program look at every call, and decide about it.

use std::{borrow::Cow, fmt, future::Future, pin::Pin, sync::Arc, time::Duration};

use serde_json::Value;

use crate::{
    json,
    notice::Notice,
    outcome::Status,
    request::Arguments,
    spec::Hints,
    value::{Output, UnserialisableError},
};

/// A call that is about to run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BeforeCall {
    /// The provider's id of the call.
    pub call_id: Arc<str>,
    /// The tool's name as registered.
    pub tool: Arc<str>,
    /// The arguments, as the model wrote them or as an earlier hook changed them. Not repaired yet: to decide by them
    /// ask [`arguments_as_read`](Self::arguments_as_read).
    pub arguments: Arguments,
    /// What the tool says of itself.
    pub hints: Hints,
    /// The session, if the call belongs to one.
    pub session: Option<Arc<str>>,
    pub(crate) reader: Reader,
}

impl BeforeCall {
    /// The arguments as the tool will read them: repaired where they have to be ([`Coercion`](crate::Coercion)), under
    /// the parameters' own names. What the model wrote as `Path` may be the tool's `path`, and a hook that looks for
    /// `path` in [`arguments`](Self::arguments) would not see it.
    ///
    /// `None` where they don't fit the tool, which is not run then, and where there is no such tool. Decoded anew
    /// whenever it is asked for.
    ///
    /// ```
    /// use tool_runtime::{Before, BeforeCall, Hook, Registry, Status, ToolCall, tool, tools};
    ///
    /// struct NoSecrets;
    ///
    /// impl Hook for NoSecrets {
    ///     async fn before(&self, call: &BeforeCall) -> Before {
    ///         match call.arguments_as_read() {
    ///             Some(arguments) if arguments["path"] == "secrets.toml" => Before::Block("that is private".into()),
    ///             _ => Before::Go,
    ///         }
    ///     }
    /// }
    ///
    /// /// Reads a file.
    /// #[tool]
    /// fn read(path: String) -> String {
    ///     format!("the text of {path}")
    /// }
    ///
    /// # fn main() -> Result<(), tool_runtime::BuildError> {
    /// let registry = Registry::builder().tools(tools![read]).hook(NoSecrets).build()?;
    /// let call = |arguments| registry.call_blocking(ToolCall::new("1", "read", arguments));
    /// assert_eq!(call(r#"{"path":"notes.md"}"#).model_text(), "the text of notes.md");
    /// assert_eq!(call(r#"{"Path":"secrets.toml"}"#).status(), Status::Blocked);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn arguments_as_read(&self) -> Option<Value> {
        serde_json::from_str(&self.reader.0.as_ref()?(&self.arguments)?).ok()
    }
}

type Read = dyn Fn(&Arguments) -> Option<String> + Send + Sync;

/// Reads a tool's arguments as the tool will; nothing where there is no tool.
#[derive(Clone)]
pub(crate) struct Reader(pub(crate) Option<Arc<Read>>);

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reader")
    }
}

/// What a hook decides before a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Before {
    /// Run it.
    Go,
    /// Run it with these arguments.
    Arguments(Arguments),
    /// Don't run it; the model reads the reason.
    Block(String),
}

/// A call that has come to an end, whatever the end was.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AfterCall {
    /// The provider's id of the call.
    pub call_id: Arc<str>,
    /// The tool's name as registered; the name the model wrote where there is no such tool.
    pub tool: Arc<str>,
    /// The arguments that the tool got, or would have got.
    pub arguments: Arguments,
    /// How the call ended. Hooks look before the result is presented: of a value that turns out not to be JSON, or
    /// that can't be cleaned, they see [`Status::Ok`], which is what the tool came to, and the outcome says
    /// [`Status::Unserialisable`] or [`Status::Withheld`]. Ask [`json`](Self::json) to know the first beforehand.
    pub status: Status,
    /// The full value: typed, unfenced, uncut. Where there is none, its text is the error's.
    pub output: Output,
    /// What the tool noted beside its value ([`ToolResult::metadata`](crate::ToolResult::metadata)).
    pub metadata: serde_json::Map<String, Value>,
    /// From the start of the call to here.
    pub duration: Duration,
    /// The session, if the call belongs to one.
    pub session: Option<Arc<str>>,
}

impl AfterCall {
    /// The full value as JSON, or why there is none: its `Serialize` failed or panicked, or it is nested too deeply.
    /// `null` where the call has no value. Written when it is asked for, and only then; a hook that can decide by
    /// [`Output::downcast_ref`] needs none.
    ///
    /// ```
    /// use tool_runtime::{After, AfterCall, Hook};
    ///
    /// struct OnlyJson;
    ///
    /// impl Hook for OnlyJson {
    ///     async fn after(&self, call: &AfterCall) -> After {
    ///         match call.json() {
    ///             Ok(_) => After::Keep,
    ///             Err(error) => After::Block(error.to_string()),
    ///         }
    ///     }
    /// }
    /// ```
    pub fn json(&self) -> Result<Cow<'_, Value>, UnserialisableError> {
        match self.output.downcast_ref::<Value>() {
            // A value that is JSON already may still be nested too deeply to be written, or copied.
            Some(value) if !json::is_deep(value) => Ok(Cow::Borrowed(value)),
            _ => self.output.try_json().map(Cow::Owned),
        }
    }
}

/// What a hook decides after a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum After {
    /// Leave it as it is.
    Keep,
    /// Tell the model something beside the result.
    Note(Notice),
    /// Put this in place of the value. A view of the old value is forgotten: it is derived again where the new value
    /// has the old one's type, and else the new value is shown itself. Without a value it has no effect.
    Replace(Value),
    /// Show nothing of the result; the model reads the reason.
    Block(String),
}

pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

/// Looks at every call of a registry. Hooks run in the order in which they were added.
///
/// A hook that fails, panics or takes longer than its [`timeout`](Self::timeout) changes nothing; the receipt says
/// so. One that is [`required`](Self::required) stops the call, or withholds its result, instead.
///
/// ```
/// use tool_runtime::{After, AfterCall, Hook, Notice, Registry, ToolCall, tool, tools};
///
/// struct Slow;
///
/// impl Hook for Slow {
///     async fn after(&self, call: &AfterCall) -> After {
///         match call.output.downcast_ref::<i64>() {
///             Some(seconds) if *seconds > 60 => After::Note(Notice::new("that is more than a minute")),
///             _ => After::Keep,
///         }
///     }
/// }
///
/// /// Seconds until the job is done.
/// #[tool]
/// fn remaining() -> i64 {
///     90
/// }
///
/// # fn main() -> Result<(), tool_runtime::BuildError> {
/// let registry = Registry::builder().tools(tools![remaining]).hook(Slow).build()?;
/// let outcome = registry.call_blocking(ToolCall::new("1", "remaining", "{}"));
/// assert_eq!(outcome.model_text(), "90\n\n[Notice: that is more than a minute]");
/// # Ok(())
/// # }
/// ```
pub trait Hook: Send + Sync + 'static {
    /// Before the arguments are decoded and the tool is run.
    fn before(&self, _call: &BeforeCall) -> impl Future<Output = Before> + Send {
        std::future::ready(Before::Go)
    }

    /// After the call, once for every outcome: also when the tool was not run.
    fn after(&self, _call: &AfterCall) -> impl Future<Output = After> + Send {
        std::future::ready(After::Keep)
    }

    /// In place of [`after`](Self::after), when the call's future was dropped. Must not block.
    fn cancelled(&self, _call: &BeforeCall) {}

    /// Whether the hook wants to see the calls of this tool. Default: of every tool.
    fn applies_to(&self, _tool: &str) -> bool {
        true
    }

    /// Whether a call may not go on without this hook: where it fails, the tool is not run, or its result is not
    /// shown. Default: no. Asked when the hook has failed.
    fn required(&self) -> bool {
        false
    }

    /// The longest that [`before`](Self::before) or [`after`](Self::after) may take. Default: 5 seconds. It can't
    /// stop a hook that blocks its thread; where there are no tokio timers (another runtime, no feature `tokio`)
    /// there is no limit.
    fn timeout(&self) -> Duration {
        DEFAULT_TIMEOUT
    }
}

type Deciding<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A hook with its type erased.
pub(crate) trait ErasedHook: Send + Sync {
    fn before<'a>(&'a self, call: &'a BeforeCall) -> Deciding<'a, Before>;
    fn after<'a>(&'a self, call: &'a AfterCall) -> Deciding<'a, After>;
    fn cancelled(&self, call: &BeforeCall);
    fn applies_to(&self, tool: &str) -> bool;
    fn required(&self) -> bool;
    fn timeout(&self) -> Duration;
}

impl<H: Hook> ErasedHook for H {
    fn before<'a>(&'a self, call: &'a BeforeCall) -> Deciding<'a, Before> {
        Box::pin(Hook::before(self, call))
    }
    fn after<'a>(&'a self, call: &'a AfterCall) -> Deciding<'a, After> {
        Box::pin(Hook::after(self, call))
    }
    fn cancelled(&self, call: &BeforeCall) {
        Hook::cancelled(self, call);
    }
    fn applies_to(&self, tool: &str) -> bool {
        Hook::applies_to(self, tool)
    }
    fn required(&self) -> bool {
        Hook::required(self)
    }
    fn timeout(&self) -> Duration {
        Hook::timeout(self)
    }
}

impl fmt::Debug for dyn ErasedHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hook")
    }
}
