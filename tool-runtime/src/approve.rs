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
    /// The arguments as the tool will read them, as JSON text: what the model wrote or a hook made of it, repaired
    /// where it had to be ([`Coercion`](crate::Coercion)), under the parameters' own names. Where they don't fit the
    /// tool they are as they came, and the tool is not run whatever the answer is.
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
/// use serde_json::Value;
/// use tool_runtime::{ApprovalRequest, Registry, Status, ToolCall, tool, tools};
///
/// /// Deletes a file.
/// #[tool(destructive, approval)]
/// fn delete(path: String) -> String {
///     format!("deleted {path}")
/// }
///
/// async fn only_notes(request: ApprovalRequest) -> bool {
///     let arguments: Value = serde_json::from_str(&request.arguments).unwrap_or_default();
///     matches!(arguments["path"].as_str(), Some("a.txt" | "b.txt"))
/// }
///
/// # fn main() -> Result<(), tool_runtime::BuildError> {
/// let registry = Registry::builder().tools(tools![delete]).approver(only_notes).build()?;
/// let call = |path: &str| registry.call_blocking(ToolCall::new("1", "delete", format!(r#"{{"path":"{path}"}}"#)));
/// assert_eq!(call("a.txt").model_text(), "deleted a.txt");
/// assert_eq!(call("/etc/a.txt").status(), Status::Blocked);
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
