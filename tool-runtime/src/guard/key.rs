//! What makes two calls equal: the tool, and the arguments that it is compared by.

use std::{borrow::Cow, hash::RandomState};

use serde_json::{Map, Value};

use super::{Digest, Limits, LoopGuard};
use crate::{
    contain,
    request::Arguments,
    spec::{Hints, LoopKey, ToolSpec},
};

/// A call as the guard sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallKey {
    pub(super) call: u64,
    pub(super) limits: Limits,
}

impl CallKey {
    /// `spec` is of the tool that `name` means, if there is one. Text of more than `most_bytes` will not be read by
    /// the tool, and so not by the guard either.
    pub(crate) fn new(
        spec: Option<&ToolSpec>,
        name: &str,
        arguments: &Arguments,
        most_bytes: usize,
        guard: &LoopGuard,
        keys: &RandomState,
    ) -> Self {
        let parsed = match arguments {
            Arguments::Json(json) => Some(Cow::Borrowed(json)),
            Arguments::Text(text) if text.len() > most_bytes => None,
            Arguments::Text(text) if text.trim().is_empty() => Some(Cow::Owned(Value::Null)),
            Arguments::Text(text) => serde_json::from_str(text).ok().map(Cow::Owned),
        };
        let mut digest = Digest::new(keys);
        digest.text(spec.map_or(name, ToolSpec::name));
        let loop_key = spec.map(|spec| &spec.loop_key);
        match parsed.as_deref() {
            None => digest.text(&arguments.text()),
            // No arguments, in each of the ways that models write it.
            Some(Value::Null) => compare(&Map::new(), loop_key, guard, &mut digest),
            Some(Value::Object(object)) => compare(object, loop_key, guard, &mut digest),
            Some(other) => digest.json(other),
        }
        let hints = spec.map_or_else(Hints::default, ToolSpec::hints);
        Self { call: digest.finish(), limits: guard.limits(hints) }
    }
}

/// Feeds the arguments that count.
fn compare(object: &Map<String, Value>, key: Option<&LoopKey>, guard: &LoopGuard, digest: &mut Digest<'_>) {
    let has = |names: &[Cow<'static, str>], name: &str| names.iter().any(|known| known == name);
    if let Some(LoopKey::By(key)) = key {
        if let Ok(compared) = contain::call(|| key(&Value::Object(object.clone()))) {
            return digest.json(&compared);
        }
    }
    let counts = |name: &str| {
        !has(guard.ignored(), name)
            && match key {
                Some(LoopKey::Only(names)) => has(names, name),
                Some(LoopKey::Except(names)) => !has(names, name),
                None | Some(LoopKey::All | LoopKey::By(_)) => true,
            }
    };
    digest.members(object.iter().filter(|(name, _)| counts(name)));
}
