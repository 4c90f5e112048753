//! The stages that not every program needs, behind pointers, so that a program contains those that it asks for.
//!
//! A linker keeps what something refers to. The plain path of a call refers to none of these stages; the settings that
//! need one do (`ToolSpec::timeout`, `RegistryBuilder::redact`, a result of content parts, …). So a setting that needs
//! a stage stands in the room of that stage, beside the code that it brings into the program.

use std::{any::Any, sync::Arc};

use crate::artifact::ArtifactStore;

/// A stage with its type erased: what it works on stands in higher rooms than those that pass it on.
pub(crate) type Stage = &'static (dyn Any + Send + Sync);

/// The stage that presents whatever a call can come to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Presenting {
    pub(crate) stage: Stage,
    /// The store of a registry that was given none, by its seed.
    pub(crate) default_store: fn(Option<u64>) -> Arc<dyn ArtifactStore>,
}

/// What a tool or a registry asks for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stages {
    /// More than the text of a trusted result: cut, fence, redaction, media, saves.
    pub(crate) presenting: Option<Presenting>,
    /// More than running a tool: approval, turns, retries, timeouts, the blocking pool.
    pub(crate) running: Option<Stage>,
    /// Hooks.
    pub(crate) observing: Option<Stage>,
}

impl Stages {
    /// None of them.
    pub(crate) const NONE: Self = Self { presenting: None, running: None, observing: None };

    /// Those of both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            presenting: self.presenting.or(other.presenting),
            running: self.running.or(other.running),
            observing: self.observing.or(other.observing),
        }
    }
}
