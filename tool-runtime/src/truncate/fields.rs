//! Shortens the strings inside a JSON object, and lets the object point to the whole.

use std::{borrow::Cow, collections::BTreeSet, ops::ControlFlow};

use crate::{
    artifact::ArtifactRef,
    cut::{self, Style},
    json::{Edit, Fault, Push, Role},
};

/// The key that only the runtime writes.
const KEY: &str = "_artifact_ref";

/// Writes the object, its strings edited.
pub(super) type Pour<'a> = &'a dyn Fn(Push<'_>, Edit<'_>) -> Result<(), Fault>;

/// An object within the limit.
pub(super) struct Shortened {
    pub(super) text: String,
    pub(super) chars: usize,
    /// Whether it has a reference to the whole.
    pub(super) points: bool,
}

/// The object with strings of at most `field_limit` characters, if that brings it within `limit`.
pub(super) fn shorten(
    pour: Pour<'_>,
    limit: usize,
    field_limit: usize,
    style: Style,
    artifact: Option<&ArtifactRef>,
) -> Option<Shortened> {
    let mut taken = BTreeSet::new();
    let mut object = gather(pour, limit, &mut |role, text| match role {
        Role::Value => shorten_string(text, field_limit, style),
        Role::Key { top } => {
            taken.extend(top.then(|| underscores(text)).flatten());
            Cow::Borrowed(text)
        }
    })?;
    if taken.contains(&0) {
        // Only now is it known which names are free.
        let mut free = (1..).filter(|underscores| !taken.contains(underscores));
        object = gather(pour, limit, &mut |role, text| match role {
            Role::Value => shorten_string(text, field_limit, style),
            Role::Key { top: true } if text == KEY => {
                Cow::Owned(format!("{KEY}{}", "_".repeat(free.next().unwrap_or_default())))
            }
            Role::Key { .. } => Cow::Borrowed(text),
        })?;
    }
    if let Some(artifact) = artifact {
        point(&mut object, limit, artifact);
    }
    Some(object)
}

/// How many underscores follow [`KEY`], in a key of only that.
fn underscores(key: &str) -> Option<usize> {
    let rest = key.strip_prefix(KEY)?;
    rest.bytes().all(|byte| byte == b'_').then_some(rest.len())
}

fn shorten_string(text: &str, field_limit: usize, style: Style) -> Cow<'_, str> {
    if text.len() <= field_limit {
        return Cow::Borrowed(text);
    }
    match cut::count(text) {
        chars if chars > field_limit => Cow::Owned(cut::cut(text, chars, field_limit, style)),
        _ => Cow::Borrowed(text),
    }
}

/// The edited object, unless it is longer than `limit`.
fn gather(pour: Pour<'_>, limit: usize, edit: Edit<'_>) -> Option<Shortened> {
    let (mut text, mut chars) = (String::new(), 0);
    let mut push = |piece: &str| {
        chars += cut::count(piece);
        if chars > limit {
            return ControlFlow::Break(());
        }
        text.push_str(piece);
        ControlFlow::Continue(())
    };
    // Whatever went wrong the second time, the text of the first time can still be cut.
    pour(&mut push, edit).ok()?;
    (text.starts_with('{') && text.ends_with('}')).then_some(Shortened { text, chars, points: false })
}

/// Appends the reference, where there is room for it.
fn point(object: &mut Shortened, limit: usize, artifact: &ArtifactRef) {
    let comma = if object.text == "{}" { "" } else { "," };
    let id = serde_json::Value::from(artifact.id.as_str());
    let tail = format!("{comma}\"{KEY}\":{{\"id\":{id},\"chars\":{}}}}}", artifact.chars);
    let chars = object.chars - 1 + cut::count(&tail);
    if chars <= limit {
        object.text.pop();
        object.text.push_str(&tail);
        object.chars = chars;
        object.points = true;
    }
}
