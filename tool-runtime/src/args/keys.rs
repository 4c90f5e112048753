//! Which parameter a top-level key means.

use std::{borrow::Cow, fmt::Write};

use serde_json::Value;

use super::{
    Told,
    edit::Edit,
    expect,
    members::{Member, Span},
    pointer,
    shown::{harmless, shown},
    slot_of,
    string::{quote, unescape},
    tree::Node,
};
use crate::{
    callable::Callable,
    error::{Problem, ProblemKind},
    find::normalise,
    index::Places,
    policy::Coercion,
};

/// Keys named in one message, notes in one receipt.
const MAX_NAMED: usize = 20;
/// Unknown keys that are compared with every parameter; comparing is not cheap, and the rest are no typing slips.
const MAX_COMPARED: usize = 64;

/// The verdict on all keys.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// Renamed keys, and members that repeat another one under a second name.
    pub(super) edits: Vec<Edit>,
    pub(super) problems: Vec<Problem>,
    pub(super) told: Told,
    /// Parameters that a wrong key was probably meant for: that they are missing is the same mistake.
    pub(super) suggested: Vec<String>,
    /// How many keys the type takes that its schema does not name: each is another name of a parameter.
    pub(super) aliases: usize,
    /// The ignored keys once more, in case the call can't run and one of them is why.
    pub(super) ignored: Vec<Problem>,
}

/// The parameters as the text may name them.
enum Known<'k> {
    Slots(&'static [&'static [&'static str]]),
    Schema(Vec<&'k str>),
}

impl Known<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Slots(slots) => slots.len(),
            Self::Schema(names) => names.len(),
        }
    }

    fn names(&self, parameter: usize) -> &[&str] {
        match self {
            Self::Slots(slots) => slots[parameter],
            Self::Schema(names) => &names[parameter..=parameter],
        }
    }

    fn name(&self, parameter: usize) -> &str {
        self.names(parameter).first().copied().unwrap_or_default()
    }

    fn find(&self, key: &str) -> Option<usize> {
        match self {
            Self::Slots(slots) => slot_of(slots, key),
            Self::Schema(names) => names.iter().position(|name| *name == key),
        }
    }

    /// The one parameter whose spelling is the same but for case, `-` and `_`.
    fn respelled(&self, key: &str) -> Option<usize> {
        let key = normalise(key);
        let mut same = (0..self.len())
            .filter(|&parameter| !key.is_empty() && self.names(parameter).iter().any(|name| normalise(name) == key));
        same.next().filter(|_| same.next().is_none())
    }

    /// The nearest parameter that was not given, within two edits that leave something of it.
    fn near(&self, key: &str, given: &[Option<Member>]) -> Option<usize> {
        let length = key.chars().count();
        let distance = |name: &str| {
            let shorter = length.min(name.chars().count());
            let allowed = 2.min(shorter.saturating_sub(1));
            if length.abs_diff(name.chars().count()) > allowed {
                return None;
            }
            Some(strsim::levenshtein(key, name)).filter(|&distance| distance <= allowed)
        };
        let mut nearest = None;
        for parameter in (0..self.len()).filter(|&parameter| given[parameter].is_none()) {
            for distance in self.names(parameter).iter().filter_map(|name| distance(name)) {
                if nearest.is_none_or(|(least, _)| distance < least) {
                    nearest = Some((distance, parameter));
                }
            }
        }
        nearest.map(|(_, parameter)| parameter)
    }
}

/// The common case, told without allocating: every key is a parameter's, and no parameter is given twice.
pub(super) fn are_plain(text: &str, members: &[Member], callable: &dyn Callable, schema: &Value) -> bool {
    if let Some(slots) = callable.names() {
        let mut seen = 0_u64;
        slots.len() <= 64
            && members.iter().all(|member| {
                let key = member.key.of(text);
                let Some(slot) = slot_of(slots, key) else { return false };
                let is_new = seen & (1 << slot) == 0;
                seen |= 1 << slot;
                is_new
            })
    } else {
        let properties = schema.get("properties").and_then(Value::as_object);
        members.iter().all(|member| properties.is_some_and(|properties| properties.contains_key(member.key.of(text))))
    }
}

pub(super) fn judge(
    text: &str,
    members: &[Member],
    callable: &dyn Callable,
    schema: &Value,
    coercion: Coercion,
) -> Judged {
    let known = callable.names().map_or_else(|| Known::Schema(expect::property_names(schema)), Known::Slots);
    let mut judged = Judged::default();
    let mut given: Vec<Option<Member>> = vec![None; known.len()];
    let mut unknown: Vec<(Cow<'_, str>, Member)> = Vec::new();
    for member in members {
        let key = unescape(member.key.of(text));
        match known.find(&key) {
            None => unknown.push((key, *member)),
            Some(parameter) => match given[parameter] {
                None => given[parameter] = Some(*member),
                Some(earlier) => judged.twice(text, members, earlier, *member, known.name(parameter)),
            },
        }
    }
    if matches!(known, Known::Schema(_)) && !unknown.is_empty() {
        let given = unknown.len();
        let taken = callable.taken();
        let ignored = if taken.is_none() { callable.ignored(text) } else { None };
        let ignored = ignored.map(|keys| {
            let mut places = Places::new();
            for (place, key) in keys.into_iter().enumerate() {
                places.insert(key, place);
            }
            places
        });
        let is_open = is_open(schema, known.len());
        unknown.retain(|(key, _)| match (taken, &ignored) {
            (Some(taken), _) => !taken.contains(&key.as_ref()),
            (None, Some(ignored)) => ignored.contains_key(key.as_ref()),
            (None, None) => !is_open,
        });
        if taken.is_some() {
            judged.aliases = given - unknown.len();
        }
    }
    let refuses =
        coercion == Coercion::Strict || matches!(schema.get("additionalProperties"), Some(Value::Bool(false)));
    let mut names = Vec::with_capacity(known.len());
    for parameter in 0..known.len() {
        names.push(known.name(parameter));
    }
    let no_such_field = expect::no_such_field(&names);
    let mut ignored = Vec::new();
    for (index, (key, member)) in unknown.iter().enumerate() {
        let (respelled, near) = if index < MAX_COMPARED {
            let respelled = known.respelled(key);
            // A second spelling of what was given is no slip for something else.
            (
                respelled.filter(|&parameter| given[parameter].is_none()),
                respelled.is_none().then(|| known.near(key, &given)),
            )
        } else {
            (None, None)
        };
        if let (Some(parameter), Coercion::Lossless) = (respelled, coercion) {
            given[parameter] = Some(*member);
            judged.rename(key, *member, known.name(parameter));
        } else if let Some(parameter) = respelled.or(near.flatten()) {
            let name = known.name(parameter);
            judged.refuse(key, format!("no such field; did you mean `{}`?", shown(name, 80)));
            judged.suggested.push(pointer::of(name));
        } else if refuses {
            judged.refuse(key, no_such_field.clone());
        } else {
            ignored.push(key.as_ref());
        }
    }
    for key in ignored.iter().take(MAX_NAMED) {
        judged.ignored.push(unknown_field(key, no_such_field.clone()));
    }
    judged.told.ignore(&ignored);
    judged
}

/// Whether the schema says that it takes keys it does not name.
fn is_open(schema: &Value, known: usize) -> bool {
    match schema.get("additionalProperties") {
        Some(additional) => !matches!(additional, Value::Bool(false)),
        None => known == 0 || schema.get("patternProperties").is_some(),
    }
}

impl Judged {
    /// One parameter under two of its names.
    fn twice(&mut self, text: &str, members: &[Member], earlier: Member, member: Member, name: &str) {
        let value = |member: Member| Node::parse(member.value.of(text));
        if value(earlier).same(&value(member)) {
            // It is not the first member, so there is one before it, and a comma between them.
            let before = members.iter().rev().find(|other| other.value.end() < member.key.start());
            let start = before.map_or(member.key.start(), |other| other.value.end());
            self.edits.push(Edit { span: Span::new(start, member.value.end()), text: String::new() });
        } else {
            self.problems.push(duplicate(pointer::of(name)));
        }
    }

    fn rename(&mut self, key: &str, member: Member, name: &str) {
        let mut quoted = String::new();
        quote(name, &mut quoted);
        let span = Span::new(member.key.start().saturating_sub(1), member.key.end() + 1);
        self.edits.push(Edit { span, text: quoted });
        self.told.notes.push(format!("{} renamed to {}", shown(&pointer::of(key), 80), shown(name, 80)));
    }

    fn refuse(&mut self, key: &str, expected: String) {
        if self.problems.len() < super::MAX_PROBLEMS {
            self.problems.push(unknown_field(key, expected));
        }
    }
}

impl Told {
    fn ignore(&mut self, keys: &[&str]) {
        let Some(rest) = keys.len().checked_sub(1) else { return };
        for key in keys.iter().take(MAX_NAMED) {
            self.notes.push(format!("{}: unknown field ignored", shown(&pointer::of(key), 80)));
        }
        if keys.len() > MAX_NAMED {
            self.notes.push(format!("{} more unknown fields ignored", keys.len() - MAX_NAMED));
        }
        if rest == 0 {
            self.notices.push(format!("`{}` is no parameter of this tool and was ignored.", harmless(keys[0], 80)));
            return;
        }
        let mut notice = String::new();
        for (index, key) in keys.iter().take(10).enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            let _ = write!(notice, "{comma}`{}`", harmless(key, 80));
        }
        if keys.len() > 10 {
            let _ = write!(notice, " and {} more", keys.len() - 10);
        }
        notice.push_str(" are no parameters of this tool and were ignored.");
        self.notices.push(notice);
    }
}

fn unknown_field(key: &str, expected: String) -> Problem {
    Problem { path: pointer::of(key), kind: ProblemKind::UnknownField, expected, got: "unknown field".into() }
}

pub(super) fn duplicate(path: String) -> Problem {
    Problem { path, kind: ProblemKind::DuplicateKey, expected: "one value".into(), got: "two different values".into() }
}
