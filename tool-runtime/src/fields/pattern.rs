//! Patterns that calls are held to.

use std::sync::Arc;

use crate::request::Pattern;

#[cfg(feature = "regex")]
impl Pattern for regex::Regex {
    fn is_match(&self, text: &str) -> bool {
        Self::is_match(self, text)
    }

    fn as_str(&self) -> &str {
        Self::as_str(self)
    }
}

/// The pattern, or in one line why calls can't be held to it. Schemas may look ahead and back, which this engine, linear on
/// every input, can't.
#[cfg(feature = "regex")]
pub(super) fn compile(pattern: &str) -> Result<Option<Arc<dyn Pattern>>, String> {
    match regex::Regex::new(pattern) {
        Ok(pattern) => Ok(Some(Arc::new(pattern))),
        Err(error) => {
            let error = error.to_string();
            let reason = error.lines().next_back().unwrap_or_default();
            Err(reason.strip_prefix("error: ").unwrap_or(reason).to_owned())
        }
    }
}

/// Without the engine a pattern is in the schema only.
#[cfg(not(feature = "regex"))]
#[expect(clippy::unnecessary_wraps, reason = "with the engine it may fail")]
pub(super) fn compile(_pattern: &str) -> Result<Option<Arc<dyn Pattern>>, String> {
    Ok(None)
}
