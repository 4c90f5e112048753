//! Why serde refused: what the schema says about it, and what only serde can know.

use serde_json::Value;

use super::{
    Job, MAX_GOT, expect,
    members::Members,
    pointer,
    shown::{preview, shown_bare},
    slot_of,
    tree::Node,
    walk, wrong_key,
};
use crate::{
    error::{Problem, ProblemKind},
    request::Misfit,
};

/// How serde's own messages begin. They name Rust types, so only other people's words are shown.
const GENERATED: [&str; 25] = [
    "invalid type",
    "invalid value",
    "invalid length",
    "unknown variant",
    "unknown field",
    "missing field",
    "duplicate field",
    "data did not match any variant",
    "no variant of enum",
    "can only flatten",
    "untagged and internally tagged enums do not support",
    "EOF while parsing",
    "expected value",
    "expected `",
    "expected ident",
    "expected numeric key",
    "expected string",
    "key must be",
    "invalid number",
    "invalid escape",
    "invalid unicode",
    "number out of range",
    "recursion limit",
    "trailing c",
    "lone leading",
];

impl Job<'_> {
    /// Every problem that is not `known` yet, in the order of the schema, for what serde refused.
    pub(super) fn explain(&self, text: &str, members: &Members, misfits: &[Misfit], known: &[Problem]) -> Vec<Problem> {
        let Some(names) = self.callable.names() else {
            let node = Node::parse(text);
            let mut problems = walk::problems(self.schema, &node);
            if problems.is_empty() && known.is_empty() {
                if let Some(misfit) = misfits.first() {
                    problems.push(self.refused(None, Some(&node), misfit));
                }
            }
            return problems;
        };
        let name_of = |slot: usize| names.get(slot).and_then(|names| names.first()).copied();
        let node = self.tree(text, members);
        let mut problems = walk::problems(self.schema, &node);
        let slot_of_problem = |problem: &Problem| pointer::first(&problem.path).and_then(|name| slot_of(names, &name));
        // Where serde is content with the type, so are we: it knows aliases, and no schema has them.
        problems.retain(|problem| {
            let Some(slot) = slot_of_problem(problem) else { return true };
            let misfit = misfits.iter().find(|misfit| misfit.slot == Some(slot));
            misfit.is_some_and(|misfit| !misfit.is_of_limit() || pointer::is_top(&problem.path))
        });
        let mut explained = Vec::new();
        for problem in problems.iter().chain(known) {
            explained.push(slot_of_problem(problem));
        }
        for misfit in misfits {
            if !explained.contains(&misfit.slot) {
                let name = misfit.slot.and_then(name_of);
                let value = name.map_or(Some(&node), |name| node.get(name));
                problems.push(self.refused(name, value, misfit));
                explained.push(misfit.slot);
            }
        }
        // Those of no slot first. This sorts places, which takes a tenth of the code that sorting problems would.
        problems.sort_by_cached_key(|problem| slot_of_problem(problem).map_or(0, |slot| slot + 1));
        problems
    }

    /// What serde refused and the walk found nothing wrong with: a key of a map, or the value as a whole.
    fn refused(&self, name: Option<&str>, value: Option<&Node<'_>>, misfit: &Misfit) -> Problem {
        let key = value.and_then(|value| wrong_key::problem(name, value, &misfit.message));
        key.unwrap_or_else(|| problem(self.schema, name, value, misfit))
    }
}

/// The problem of a parameter that the walk found nothing wrong with.
fn problem(root: &Value, name: Option<&str>, value: Option<&Node<'_>>, misfit: &Misfit) -> Problem {
    let property = name.and_then(|name| root.get("properties")?.get(name));
    let mut expected = match (name, property) {
        (None, _) => "arguments that fit the schema".to_owned(),
        (Some(_), Some(schema)) => expect::describe(root, schema),
        (Some(_), None) => "a value that fits".to_owned(),
    };
    let kind = match value {
        None => ProblemKind::Missing,
        Some(_) if misfit.message.starts_with("number out of range") => ProblemKind::NumberOutOfRange,
        Some(_) => ProblemKind::OutOfBounds,
    };
    if let Some(message) = own_words(&misfit.message) {
        expected = format!("{expected} ({message})");
    } else if name.is_some() && kind == ProblemKind::OutOfBounds {
        // What came is of the right kind, or the walk would have said so.
        expected.push_str(", but not this one");
    }
    let got = value.map_or_else(|| "missing".to_owned(), |value| preview(value, MAX_GOT));
    Problem { path: name.map(pointer::of).unwrap_or_default(), kind, expected, got }
}

/// The message without the ` at line 1 column 3` that `serde_json` puts behind it.
pub(super) fn without_position(message: &str) -> &str {
    message.rfind(" at line ").map_or(message, |end| &message[..end])
}

/// The message without its position, if a person wrote it.
fn own_words(message: &str) -> Option<String> {
    let message = without_position(message).trim();
    let is_own = !message.is_empty() && !GENERATED.iter().any(|start| message.starts_with(start));
    is_own.then(|| shown_bare(message, 160))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_of_people_are_shown() {
        assert_eq!(own_words("port 0 is reserved at line 1 column 3").as_deref(), Some("port 0 is reserved"));
        assert_eq!(own_words("invalid value: integer `300`, expected u8 at line 1 column 3"), None);
        assert_eq!(own_words("data did not match any variant of untagged enum Flex"), None);
        assert_eq!(own_words("a\nb").as_deref(), Some("a\\nb"));
        assert_eq!(own_words("a `@` is missing, <b>").as_deref(), Some("a `@` is missing, \\u{3c}b>"));
    }
}
