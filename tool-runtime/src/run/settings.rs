//! The settings of a tool that ask for more than running it. They stand here because they bring the code for it into
//! the program: a linker keeps what something refers to.

#[cfg(feature = "tokio")]
use std::time::Duration;

use super::whole::STAGE;
use crate::{policy::Yields, spec::ToolSpec, stages::Stages};

/// Whether one of these settings is set, or the tool is one of ours, which run apart.
pub(super) fn asks_for_more(spec: &ToolSpec) -> bool {
    spec.timeout.is_some()
        || spec.blocking
        || spec.approval
        || spec.max_concurrent.is_some()
        || spec.retries > 0
        || spec.yields == Yields::Excerpts
}

impl Stages {
    /// These and running.
    pub(crate) const fn with_running(self) -> Self {
        Self { running: Some(&STAGE), ..self }
    }
}

impl ToolSpec {
    /// The longest that one call may take; then its outcome is [`Status::TimedOut`](crate::Status::TimedOut).
    /// Default: as long as it likes. Needs feature `tokio`.
    #[cfg(feature = "tokio")]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self.stages = self.stages.with_running();
        self
    }

    /// The tool blocks its thread: it runs on the blocking pool, also where its body is an `async fn`. Default: it runs
    /// on the caller's task. Needs feature `tokio`.
    #[cfg(feature = "tokio")]
    pub fn blocking(mut self) -> Self {
        self.blocking = true;
        self.stages = self.stages.with_running();
        self
    }

    /// How many calls of this tool run at the same time, over all clones, sessions and smaller copies of a registry.
    /// More wait for their turn, in the order in which they came, until they are cancelled or the `timeout` has passed,
    /// to which the wait counts. Default: as many as there are calls. 0 is refused when the registry is built.
    ///
    /// The wait comes last before the tool runs, and only the running tool takes a place: hooks, approval and presenting
    /// don't, and neither does the pause before a call is [tried again](Self::retries). A call whose arguments don't fit
    /// does not wait to say so. A blocking tool that could not be stopped keeps its place until it ends.
    ///
    /// A call that could wait for itself does not wait: where no place is free, it is
    /// [`Status::Busy`](crate::Status::Busy). That is one made by a running call of the same tool (as far as it is
    /// made in the same task or thread), and [`Registry::call_blocking`](crate::Registry::call_blocking) inside an
    /// async runtime. Two limited tools that call each other can wait for each other; give them a `timeout`.
    ///
    /// ```
    /// use tool_runtime::ToolSpec;
    ///
    /// let spec = ToolSpec::new("render", "Renders a page.").max_concurrent(2);
    /// # let _ = spec;
    /// ```
    pub fn max_concurrent(mut self, calls: usize) -> Self {
        self.max_concurrent = Some(calls);
        self.stages = self.stages.with_running();
        self
    }

    /// How often a call is tried again, at most, that failed with an error which the tool called
    /// [transient](crate::ToolError::transient). Other errors, panics, timeouts and wrong arguments are final. Default: 0.
    ///
    /// Before attempt 2 there is a pause of 200 ms, before each further one twice the last, up to 10 seconds; up to a
    /// quarter of it is taken off by the call's id, so that calls that failed together do not come back together. An
    /// error with [`retry_after`](crate::ToolError::retry_after) says itself how long. A pause that the `timeout` leaves
    /// no time for is not begun.
    ///
    /// Every attempt gets the arguments anew, and a context with its number
    /// ([`CallContext::attempt`](crate::CallContext::attempt)); what an earlier one streamed is gone. Hooks, approval
    /// and loop guard see one call. The receipt says how many attempts there were, and so does the text of an error.
    ///
    /// ```
    /// use tool_runtime::{CallContext, NoArgs, Registry, Tool, ToolCall, ToolError, ToolResult, ToolSpec};
    ///
    /// struct Flaky;
    ///
    /// impl Tool for Flaky {
    ///     type Args = NoArgs;
    ///     type Output = u32;
    ///     fn spec(&self) -> ToolSpec {
    ///         ToolSpec::new("flaky", "Works the second time.").retries(3)
    ///     }
    ///     async fn run(&self, _: NoArgs, ctx: &CallContext) -> Result<ToolResult<u32>, ToolError> {
    ///         if ctx.attempt() < 2 {
    ///             return Err(ToolError::new("busy").transient());
    ///         }
    ///         Ok(ctx.attempt().into())
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), tool_runtime::BuildError> {
    /// let registry = Registry::builder().tool(Flaky).build()?;
    /// let outcome = registry.call_blocking(ToolCall::new("1", "flaky", "{}"));
    /// assert_eq!((outcome.model_text(), outcome.receipt().attempts), ("2", 2));
    /// # Ok(())
    /// # }
    /// ```
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self.stages = self.stages.with_running();
        self
    }

    /// Not run unless the registry's [`approver`](crate::RegistryBuilder::approver) says yes.
    pub fn approval(mut self) -> Self {
        self.approval = true;
        self.stages = self.stages.with_running();
        self
    }
}
