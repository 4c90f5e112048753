//! What a running tool may know about its call.

use std::sync::Arc;

/// Belongs to one call; hand-written tools get it in [`Tool::run`](crate::Tool::run).
#[derive(Clone, Debug)]
pub struct CallContext {
    pub(crate) call_id: Arc<str>,
    pub(crate) tool_name: Arc<str>,
    pub(crate) session: Option<Arc<str>>,
}

impl CallContext {
    /// The provider's id of the call, unchanged.
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// The tool's name as registered.
    pub fn tool_name(&self) -> &str {
        &self.tool_name
    }

    /// The session, if the call belongs to one.
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }
}
