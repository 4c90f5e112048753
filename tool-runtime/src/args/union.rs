//! Alternatives (`anyOf`, `oneOf`): which one was meant, so that the problems named are its own.

use serde_json::Value;

use super::{
    MAX_GOT,
    expect::{self, Keywords, Wanted, normalised},
    shown::preview,
    tree::Node,
    walk::Walk,
};
use crate::error::ProblemKind;

impl<'s> Walk<'s> {
    pub(super) fn union(&mut self, schema: &'s Value, branches: &'s [Value], node: &Node<'_>) {
        let mut attempts = Vec::new();
        for branch in branches {
            let problems = self.attempt(branch, node);
            if problems.is_empty() {
                return;
            }
            attempts.push(problems);
        }
        if let Some(tag) = tag_of(self.root, branches, node) {
            match chosen(&tag, node) {
                Chosen::Branch(index) => self.keep(attempts.swap_remove(index)),
                Chosen::Untagged => self.missing(tag.key, tag.wanted.to_string(None)),
                Chosen::None(value) => self.at(tag.key, |walk| {
                    let fits = tag.wanted.takes_kind_of(value);
                    let kind = if fits { ProblemKind::OutOfBounds } else { ProblemKind::InvalidType };
                    walk.problem(kind, tag.wanted.to_string(None), preview(value, MAX_GOT));
                }),
            }
            return;
        }
        if let Some(index) = named_by_its_key(self.root, branches, node) {
            self.keep(attempts.swap_remove(index));
            return;
        }
        let mut of_its_kind: Vec<usize> =
            (0..branches.len()).filter(|&index| Wanted::of(self.root, &branches[index]).takes_kind_of(node)).collect();
        // Listed values are alternatives of one another, and of whatever else is allowed here.
        of_its_kind.retain(|&index| !Wanted::of(self.root, &branches[index]).is_list());
        let wanted = Wanted::of(self.root, schema);
        let best = of_its_kind.into_iter().min_by_key(|&index| attempts[index].len());
        match best {
            Some(index) => self.keep(attempts.swap_remove(index)),
            None if wanted.takes_kind_of(node) => {
                self.problem(ProblemKind::OutOfBounds, wanted.to_string(None), preview(node, MAX_GOT));
            }
            None => self.problem(ProblemKind::InvalidType, wanted.to_string(None), preview(node, MAX_GOT)),
        }
    }
}

impl Wanted<'_> {
    fn is_list(&self) -> bool {
        !self.values.is_empty() && self.kinds.is_empty() && !self.any
    }
}

/// A property whose value says which branch is meant.
struct Tag<'s> {
    key: &'s str,
    /// The value that each branch has for it.
    values: Vec<Option<&'s [Value]>>,
    wanted: Wanted<'s>,
}

/// The property that every object among the branches fixes to a value of its own.
fn tag_of<'s>(root: &'s Value, branches: &'s [Value], node: &Node<'_>) -> Option<Tag<'s>> {
    if !matches!(node, Node::Object(_)) {
        return None;
    }
    let fixed = |branch: &'s Value, key: &str| {
        let property = properties(root, branch)?.get(key)?;
        expect::listed(property.as_object()?).filter(|values| !values.is_empty())
    };
    let objects: Vec<&Value> = branches.iter().filter(|branch| properties(root, branch).is_some()).collect();
    // Branches that are objects of another form would be shut out by a tag.
    let all_objects = branches.iter().filter(|branch| Wanted::of(root, branch).takes_kind_of(node)).count();
    if objects.is_empty() || objects.len() != all_objects {
        return None;
    }
    let key =
        properties(root, objects[0])?.keys().find(|key| objects.iter().all(|branch| fixed(branch, key).is_some()))?;
    let values: Vec<_> = branches.iter().map(|branch| fixed(branch, key)).collect();
    let mut wanted = Wanted::default();
    for value in values.iter().flatten().copied().flatten() {
        if !wanted.values.contains(&value) {
            wanted.values.push(value);
        }
    }
    Some(Tag { key, values, wanted })
}

enum Chosen<'n, 't> {
    Branch(usize),
    Untagged,
    None(&'n Node<'t>),
}

fn chosen<'n, 't>(tag: &Tag<'_>, node: &'n Node<'t>) -> Chosen<'n, 't> {
    let Some(value) = node.get(tag.key) else { return Chosen::Untagged };
    let position = |is_it: &dyn Fn(&Value) -> bool| {
        tag.values.iter().position(|values| values.is_some_and(|values| values.iter().any(is_it)))
    };
    let respelled = |allowed: &Value| match (allowed, value) {
        (Value::String(allowed), Node::String(given)) => normalised(allowed) == normalised(given),
        _ => false,
    };
    position(&|allowed| value.equals(allowed))
        .or_else(|| position(&respelled))
        .map_or(Chosen::None(value), Chosen::Branch)
}

/// `{"insert": {…}}`: the branch whose only required key the object has.
fn named_by_its_key(root: &Value, branches: &[Value], node: &Node<'_>) -> Option<usize> {
    let only_key = |branch: &Value| -> Option<String> {
        let properties = properties(root, branch)?;
        let key = properties.keys().next().filter(|_| properties.len() == 1)?;
        Some(key.clone())
    };
    let mut keys = branches.iter().map(only_key);
    keys.position(|key| key.is_some_and(|key| node.get(&key).is_some()))
}

fn properties<'s>(root: &'s Value, branch: &'s Value) -> Option<&'s Keywords> {
    let mut keywords = branch.as_object()?;
    for _ in 0..8 {
        if let Some(properties) = keywords.get("properties").and_then(Value::as_object) {
            return Some(properties);
        }
        keywords = expect::resolve(root, keywords)?.as_object()?;
    }
    None
}
