//! The value as JSON beside the text, for who was promised it.

use std::ops::ControlFlow;

use serde_json::Value;

use super::source::{Cleaner, Source, with_material};
use crate::{
    contain, cut,
    json::Fault,
    outcome::Promise,
    policy::Trust,
    tokens,
    truncate::{Bounds, Material},
    value::Output,
};

const TOO_LONG: &str = "it is longer than the tool's limit";

/// The value cleaned like a text and within the limit of one, or why there is none. It is never cut: half an object
/// is no object.
pub(crate) fn keep(promise: &Promise, output: &Output) -> Result<Value, String> {
    let policy = &promise.policy;
    let most = Bounds { limit: policy.limit, tokens: policy.tokens, ..Bounds::default() }.chars();
    let cleaner = Cleaner::new(policy.trust == Trust::External, &promise.redactors);
    let mut text = String::new();
    let mut chars = 0;
    let mut push = |piece: &str| {
        chars += cut::count(piece);
        if chars > most {
            return ControlFlow::Break(());
        }
        text.push_str(piece);
        ControlFlow::Continue(())
    };
    let written = contain::call(|| {
        with_material(Source::Output(output), &cleaner, |material| match material {
            Material::Json(write) => write(&mut push, None),
            Material::Whole(_) | Material::Document(_) | Material::Seen(_) | Material::Text(_) => Ok(()),
        })
    });
    if cleaner.is_broken() {
        return Err("it could not be cleaned".to_owned());
    }
    match written {
        Ok(Ok(())) if policy.tokens.is_some_and(|most| tokens::exceed(&text, most)) => return Err(TOO_LONG.to_owned()),
        Ok(Ok(())) => {}
        Ok(Err(Fault::Stopped)) => return Err(TOO_LONG.to_owned()),
        Ok(Err(Fault::TooDeep | Fault::Failed(_))) | Err(_) => return Err("it can't be turned into JSON".to_owned()),
    }
    let mut reader = serde_json::Deserializer::from_str(&text);
    // The writer stopped at its own depth, so the reader can't run away.
    reader.disable_recursion_limit();
    match serde::Deserialize::deserialize(&mut reader) {
        Ok(value @ Value::Object(_)) => Ok(value),
        _ => Err("it is no JSON object".to_owned()),
    }
}
