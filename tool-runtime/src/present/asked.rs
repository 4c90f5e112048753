//! The settings that ask for more than plain presenting. Each brings the rest of this room into the program.

use std::{borrow::Cow, sync::Arc};

use super::FULL;
use crate::{
    artifact::ArtifactStore,
    policy::{Keep, Limit, Trust},
    redact::Redactor,
    registry::RegistryBuilder,
    spec::ToolSpec,
    stages::{Presenting, Stages},
    store::{LocalStore, MemoryStore},
};

/// What such a setting puts into [`Stages`].
const PRESENTING: Presenting = Presenting { stage: &FULL, default_store };

/// The store of a registry that was given none.
fn default_store(seed: Option<u64>) -> Arc<dyn ArtifactStore> {
    match seed {
        None => Arc::new(LocalStore::from_env()),
        Some(_) => Arc::new(MemoryStore::new(1 << 30)),
    }
}

impl Stages {
    /// These and presenting.
    pub(crate) const fn with_presenting(self) -> Self {
        Self { presenting: Some(PRESENTING), ..self }
    }
}

impl ToolSpec {
    /// The most characters of a result that the model reads. 0 is refused when the registry is built.
    pub fn max_result_size(mut self, chars: usize) -> Self {
        self.limit = Limit::Chars(chars);
        self.stages = self.stages.with_presenting();
        self
    }

    /// The most tokens of a result that the model reads, as `o200k_base` counts them, the encoding of `OpenAI`'s
    /// models; others differ by some per cent. Holds beside a limit in characters, for the same text. Of a longer text at
    /// most 16 characters for each token are shown. 0 is refused when the registry is built.
    #[cfg(feature = "tokens")]
    pub fn max_result_tokens(mut self, tokens: usize) -> Self {
        self.tokens = Some(tokens);
        self.stages = self.stages.with_presenting();
        self
    }

    /// When the full result is kept in the store. Default: [`Keep::OnCut`].
    pub fn keep(mut self, keep: Keep) -> Self {
        self.keep = keep;
        self.stages = self.stages.with_presenting();
        self
    }

    /// Whether results come from outside. Default: [`Trust::Trusted`].
    pub fn trust(mut self, trust: Trust) -> Self {
        self.trust = trust;
        self.stages = self.stages.with_presenting();
        self
    }
}

impl RegistryBuilder {
    /// The limit in characters for tools that don't set `max_result_size`. Default: no limit. 0 is a [`BuildError`](crate::BuildError).
    pub fn default_max_result_size(mut self, chars: usize) -> Self {
        self.default_limit = Some(chars);
        self.stages = self.stages.with_presenting();
        self
    }

    /// Takes secrets out of what the model reads and of what is stored; more than one run in the order in which they
    /// are added.
    pub fn redact(mut self, redactor: impl Redactor) -> Self {
        self.redactors.push(Box::new(redactor));
        self.stages = self.stages.with_presenting();
        self
    }

    /// The same for a closure, `|text| …` without types: only here can the compiler tell what it borrows from.
    pub fn redact_with(self, redactor: impl for<'t> Fn(&'t str) -> Cow<'t, str> + Send + Sync + 'static) -> Self {
        self.redact(redactor)
    }

    /// The most characters that the model reads of one turn, all results of a [`Registry::call_all`](crate::Registry::call_all) together with
    /// their headers, fences and notices. The longest texts are cut first, and the full results saved. Default: no
    /// limit. 0 is a [`BuildError`](crate::BuildError).
    ///
    /// Headers, fences, notices and messages about arguments are never cut: a budget of less than some 300
    /// characters for each call may not be held.
    pub fn turn_budget(mut self, chars: usize) -> Self {
        self.turns.budget = Some(chars);
        self.stages = self.stages.with_presenting();
        self
    }

    /// Lets trace spans carry arguments and what the model reads, both redacted, at most 4,096 characters of each.
    /// Default: names, sizes, status and timings only.
    pub fn trace_content(mut self) -> Self {
        self.trace_content = true;
        self.stages = self.stages.with_presenting();
        self
    }
}
