//! The key of a map that its type refused. A schema can say little about such keys, so the words of serde are read.

use super::{bounds, misfit::without_position, pointer, tree::Node};
use crate::error::{Problem, ProblemKind};

/// The problem, where the message is about a key and only one key can be meant.
pub(super) fn problem(parameter: Option<&str>, value: &Node<'_>, message: &str) -> Option<Problem> {
    let message = ["invalid value: ", "invalid type: "].iter().find_map(|start| message.strip_prefix(start))?;
    let mut search = Search { message, path: parameter.map(pointer::of).unwrap_or_default(), found: Found::Nothing };
    search.value(value);
    let Found::One { path, wanted } = search.found else { return None };
    let expected = format!("no such field; keys here {}", words_for(without_position(wanted)));
    Some(Problem { path, kind: ProblemKind::UnknownField, expected, got: "unknown field".into() })
}

/// What keys have to be, without the names of Rust types.
fn words_for(wanted: &str) -> String {
    if let Some((least, most)) = bounds::range_of_type(wanted) {
        return format!("are integers {least}..={most}");
    }
    match wanted {
        "a character" => "are single characters".into(),
        "a boolean" => "are true and false".into(),
        _ => "are written in another way".into(),
    }
}

enum Found<'m> {
    Nothing,
    One {
        path: String,
        wanted: &'m str,
    },
    /// A second key, or a value, that the message may be about as well.
    Several,
}

struct Search<'m> {
    /// `string "ab", expected a character at line 1 column 6`.
    message: &'m str,
    path: String,
    found: Found<'m>,
}

impl Search<'_> {
    fn value(&mut self, node: &Node<'_>) {
        match node {
            Node::Object(members) => {
                for (key, value) in members {
                    let length = self.path.len();
                    pointer::push(&mut self.path, key);
                    if let Some(wanted) = wanted_of(self.message, key) {
                        self.found = match self.found {
                            Found::Nothing => Found::One { path: self.path.clone(), wanted },
                            Found::One { .. } | Found::Several => Found::Several,
                        };
                    }
                    self.value(value);
                    self.path.truncate(length);
                }
            }
            Node::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let length = self.path.len();
                    pointer::push(&mut self.path, &index.to_string());
                    self.value(item);
                    self.path.truncate(length);
                }
            }
            Node::String(text) | Node::Number(text) => {
                if wanted_of(self.message, text).is_some() {
                    self.found = Found::Several;
                }
            }
            Node::Null | Node::Bool(_) => {}
        }
    }
}

/// What had to stand where `text` stands, if the message is about that.
fn wanted_of<'m>(message: &'m str, text: &str) -> Option<&'m str> {
    if message.len() < text.len() {
        return None;
    }
    let rest = match message.strip_prefix("integer `") {
        Some(rest) => rest.strip_prefix(text)?.strip_prefix('`')?,
        None => message.strip_prefix("string ")?.strip_prefix(&*format!("{text:?}"))?,
    };
    rest.strip_prefix(", expected ")
}
