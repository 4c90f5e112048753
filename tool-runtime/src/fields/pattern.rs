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

#[cfg(feature = "regex")]
pub(super) fn compile(pattern: &str) -> Option<Arc<dyn Pattern>> {
    match regex::Regex::new(pattern) {
        Ok(pattern) => Some(Arc::new(pattern)),
        Err(error) => {
            // Schemas may look ahead and back, which this engine, linear on every input, can't.
            tracing::warn!(pattern, %error, "the pattern is in the schema, and calls are not held to it");
            None
        }
    }
}

/// Without the engine a pattern is in the schema only.
#[cfg(not(feature = "regex"))]
pub(super) fn compile(_pattern: &str) -> Option<Arc<dyn Pattern>> {
    None
}
