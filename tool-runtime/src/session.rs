//! One conversation: its loop guard and its artifacts.

use std::{fmt, future::Future, sync::Arc};

use serde_json::Value;

use crate::{
    artifact::ArtifactRef,
    batch, call,
    conversation::{Conversation, Talk},
    dialect::Dialect,
    guard::LoopVerdict,
    outcome::Outcome,
    reader,
    registry::{Inner, Registry},
    request::ToolCall,
    seat::Seat,
    thread::{self, Place},
};

/// What belongs to one conversation with a model: the loop guard ([`LoopGuard`](crate::LoopGuard)) and the artifacts
/// that its calls saved. Cheap to clone; clones are the same session. Made by [`Registry::session`].
///
/// ```
/// use tool_runtime::{Registry, Status, ToolCall, tool, tools};
///
/// /// Builds the project.
/// #[tool]
/// fn build() -> Result<(), &'static str> {
///     Err("error: expected `;`")
/// }
///
/// # fn main() -> Result<(), tool_runtime::BuildError> {
/// let session = Registry::builder().tools(tools![build]).build()?.session();
/// let call = || session.call_blocking(ToolCall::new("1", "build", "{}"));
/// assert_eq!(call().model_text(), "[Tool error]\nerror: expected `;`");
/// call();
/// assert!(call().model_text().contains("\n[Notice: this is call 3 in a row"));
/// call();
/// assert_eq!(call().status(), Status::Blocked);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Session {
    registry: Registry,
    conversation: Arc<Conversation>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("id", &self.id()).field("halted", &self.halted()).finish_non_exhaustive()
    }
}

impl Registry {
    /// Starts a conversation with these tools.
    #[must_use]
    pub fn session(&self) -> Session {
        let Inner { loop_guard, store, .. } = &*self.inner;
        let conversation = Conversation::new(self.inner.next_session(), Arc::clone(loop_guard), store.clone());
        Session { registry: self.clone(), conversation: Arc::new(conversation) }
    }

    /// Runs the calls of one turn, at most [`max_concurrent`](crate::RegistryBuilder::max_concurrent) at the same
    /// time. There is exactly one outcome for each call, in the order of `calls`, also where two have the same id.
    ///
    /// Tools with `approval` or `destructive` run one at a time, in the order of `calls`; other calls may run beside
    /// them. All calls run in the task that awaits them.
    ///
    /// ```
    /// use tool_runtime::{Registry, ToolCall, tool, tools};
    ///
    /// /// Twice the number.
    /// #[tool]
    /// async fn twice(n: i64) -> i64 {
    ///     2 * n
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), tool_runtime::BuildError> {
    /// let registry = Registry::builder().tools(tools![twice]).build()?;
    /// let calls = [1, 2, 3].map(|n| ToolCall::new(format!("call_{n}"), "twice", format!(r#"{{"n":{n}}}"#)));
    /// let outcomes = registry.call_all(calls.into()).await;
    /// let texts: Vec<&str> = outcomes.iter().map(|outcome| outcome.model_text()).collect();
    /// assert_eq!(texts, ["2", "4", "6"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn call_all(&self, calls: Vec<ToolCall>) -> impl Future<Output = Vec<Outcome>> + Send + use<> + 'static {
        batch::all(Arc::clone(&self.inner), None, calls)
    }
}

impl Session {
    /// Names this session in approval requests, in [`CallContext::session`](crate::CallContext::session) and in the
    /// store. 32 hexadecimal digits that can't be guessed.
    pub fn id(&self) -> &str {
        self.conversation.id()
    }

    /// The registry that the session was made of. Tools that read artifacts come with the first saved result
    /// ([`ArtifactTools`](crate::ArtifactTools)), and are not in it.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// What the request's `tools` array takes in this dialect, sorted by name. Ask before each request: once a result
    /// was saved, there are tools to read it with ([`ArtifactTools`](crate::ArtifactTools)).
    #[must_use]
    pub fn definitions(&self, dialect: Dialect) -> Vec<Value> {
        self.inner().definitions(dialect).values.clone()
    }

    /// The same as JSON text, made once before and once after the first save.
    #[must_use]
    pub fn definitions_json(&self, dialect: Dialect) -> &str {
        &self.inner().definitions(dialect).json
    }

    /// [`Registry::call`], watched by the loop guard. A call that is refused is [`Status::Blocked`](crate::Status::Blocked).
    pub fn call(&self, mut call: ToolCall) -> impl Future<Output = Outcome> + Send + use<> + 'static {
        let (inner, seat) = (Arc::clone(self.inner()), self.seat(&call));
        async move { call::tell(inner, &mut call, Place::Task, seat).await.outcome }
    }

    /// [`Registry::call_blocking`], watched by the loop guard.
    pub fn call_blocking(&self, mut call: ToolCall) -> Outcome {
        let seat = self.seat(&call);
        // Ready at the first poll, like `Registry::call_blocking`.
        thread::park_until(call::tell(Arc::clone(self.inner()), &mut call, Place::Thread, seat)).outcome
    }

    /// [`Registry::call_all`], watched by the loop guard: notices and refusals are those that the calls would get
    /// one after the other, in the order of `calls`.
    pub fn call_all(&self, calls: Vec<ToolCall>) -> impl Future<Output = Vec<Outcome>> + Send + use<> + 'static {
        batch::all(Arc::clone(self.inner()), Some(self.talk()), calls)
    }

    /// What the loop guard would do with this call now. Asking changes nothing.
    #[must_use]
    pub fn check_loop(&self, call: &ToolCall) -> LoopVerdict {
        match call::key(self.inner(), &*self.conversation, call) {
            Some(key) => self.conversation.ask(key),
            None => LoopVerdict::Pass,
        }
    }

    /// Whether the loop guard has stopped this session; then every call is [`Status::Blocked`](crate::Status::Blocked)
    /// until [`reset`](Self::reset).
    pub fn halted(&self) -> bool {
        self.conversation.is_halted()
    }

    /// Lets the loop guard forget everything, for instance when the user has said something new. Artifacts stay.
    pub fn reset(&self) {
        self.conversation.reset();
    }

    /// The full results that calls of this session saved, oldest first, each once.
    #[must_use]
    pub fn artifacts(&self) -> Vec<ArtifactRef> {
        self.conversation.saved()
    }

    /// The tools that there are now.
    fn inner(&self) -> &Arc<Inner> {
        if self.conversation.has_saved() { self.registry.inner.reading(reader::make) } else { &self.registry.inner }
    }

    fn seat(&self, call: &ToolCall) -> Seat {
        let key = call::key(self.inner(), &*self.conversation, call);
        Seat::new(self.talk(), key)
    }

    fn talk(&self) -> Arc<dyn Talk> {
        Arc::clone(&self.conversation) as _
    }
}
