//! Asks somebody before a tool is run.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

/// What an approver sees: the call as it will run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The provider's id of the call.
    pub call_id: Arc<str>,
    /// The tool's name as registered.
    pub tool: Arc<str>,
    /// The arguments as the model wrote them: raw JSON text.
    pub arguments: Arc<str>,
    /// The session, if the call belongs to one.
    pub session: Option<Arc<str>>,
}

/// An approver's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approval {
    /// Run it.
    Yes,
    /// Don't; the model reads the reason.
    No(String),
}

impl From<bool> for Approval {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No("it was not approved".into()) }
    }
}

/// Decides about the calls of tools with `approval`. An `async` function or closure that takes an
/// [`ApprovalRequest`] and gives an [`Approval`] or a `bool` is one.
///
/// An approver that panics has not approved.
///
/// ```
/// use tool_runtime::{ApprovalRequest, Registry, Status, ToolCall, tool, tools};
///
/// /// Deletes a file.
/// #[tool(destructive, approval)]
/// fn delete(path: String) -> String {
///     format!("deleted {path}")
/// }
///
/// # fn main() -> Result<(), tool_runtime::BuildError> {
/// let registry = Registry::builder()
///     .tools(tools![delete])
///     .approver(|request: ApprovalRequest| async move { request.arguments.contains("/tmp/") })
///     .build()?;
/// let call = |path: &str| registry.call_blocking(ToolCall::new("1", "delete", format!(r#"{{"path":"{path}"}}"#)));
/// assert_eq!(call("/tmp/x").model_text(), "deleted /tmp/x");
/// assert_eq!(call("/etc/x").status(), Status::Blocked);
/// # Ok(())
/// # }
/// ```
pub trait Approver: Send + Sync + 'static {
    /// Answers.
    fn approve(&self, request: ApprovalRequest) -> impl Future<Output = Approval> + Send;
}

impl<F, R, A> Approver for F
where
    F: Fn(ApprovalRequest) -> R + Send + Sync + 'static,
    R: Future<Output = A> + Send,
    A: Into<Approval>,
{
    async fn approve(&self, request: ApprovalRequest) -> Approval {
        self(request).await.into()
    }
}

type Answer<'a> = Pin<Box<dyn Future<Output = Approval> + Send + 'a>>;

/// An approver with its type erased.
pub(crate) trait ErasedApprover: Send + Sync {
    fn ask(&self, request: ApprovalRequest) -> Answer<'_>;
}

impl<A: Approver> ErasedApprover for A {
    fn ask(&self, request: ApprovalRequest) -> Answer<'_> {
        Box::pin(self.approve(request))
    }
}

impl fmt::Debug for dyn ErasedApprover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Approver")
    }
}
