//! What a dialect can't say of a tool, for the developer.

use std::fmt;

use super::{Dialect, convert::Weight};

/// Something about a tool that a [`Dialect`] can't say, or that the tool leaves unsaid; see [`Registry::lint`](crate::Registry::lint).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lint {
    /// The tool's name in the registry.
    pub tool: String,
    /// Where, as a JSON Pointer into the schema of the arguments; empty for the whole.
    pub path: String,
    /// What was lost, and why.
    pub lost: String,
    /// How much it matters.
    pub level: LintLevel,
}

/// How much a [`Lint`] matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LintLevel {
    /// Nothing is lost, the tool itself leaves it unsaid: it has no description.
    Note,
    /// The model is told, in words where the schema can't say it.
    Warn,
    /// The dialect can't express the tool as it is. A registry that declares the dialect
    /// ([`RegistryBuilder::dialect`](crate::RegistryBuilder::dialect)) is not built.
    Deny,
}

impl From<Weight> for LintLevel {
    fn from(weight: Weight) -> Self {
        match weight {
            Weight::Reworded => Self::Warn,
            Weight::Inexpressible => Self::Deny,
        }
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tool `{}`", self.tool)?;
        if !self.path.is_empty() {
            write!(f, " at `{}`", self.path)?;
        }
        write!(f, ": {}", self.lost)
    }
}

impl Lint {
    /// For the error of a registry that declares the dialect.
    pub(super) fn refusal(&self, dialect: Dialect) -> String {
        let Self { tool, path, lost, .. } = self;
        let place = if path.is_empty() { String::new() } else { format!(", `{path}`") };
        format!("{dialect:?} can't express tool `{tool}`{place}: {lost}")
    }
}
