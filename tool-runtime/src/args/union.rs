//! Alternatives (`anyOf`, `oneOf`): which one was meant, so that the problems named are its own.

use serde_json::Value;

use super::{
    expect::{self, Keywords, Wanted},
    tree::Node,
    walk::Walk,
};
use crate::find::normalise;

impl<'s> Walk<'s> {
    pub(super) fn union(&mut self, schema: &'s Value, branches: &'s [Value], node: &Node<'_>) {
        if branches.iter().any(|branch| self.fits(branch, node)) {
            return;
        }
        if self.is_trial() {
            self.nothing_fits(node);
            return;
        }
        if let Some(tag) = tag_of(self.root, branches, node) {
            match chosen(&tag, node) {
                Chosen::Branch(index) => self.value(&branches[index], node),
                Chosen::Untagged if self.fails() => self.missing(tag.key, tag.wanted.to_string(None)),
                Chosen::Untagged => {}
                Chosen::None(value) => self.at(tag.key, |walk| walk.not_wanted(&tag.wanted, value)),
            }
        } else if let Some(branch) = nearest(self.root, branches, node) {
            self.value(branch, node);
        } else {
            self.not_wanted(&Wanted::of(self.root, schema), node);
        }
    }
}

/// The branch that the value names by its tag or its keys.
pub(super) fn meant<'s>(root: &'s Value, branches: &'s [Value], node: &Node<'_>) -> Option<&'s Value> {
    match tag_of(root, branches, node).map(|tag| chosen(&tag, node)) {
        Some(Chosen::Branch(index)) => branches.get(index),
        Some(_) => None,
        None => nearest(root, branches, node),
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
        (Value::String(allowed), Node::String(given)) => normalise(allowed) == normalise(given),
        _ => false,
    };
    position(&|allowed| value.equals(allowed))
        .or_else(|| position(&respelled))
        .map_or(Chosen::None(value), Chosen::Branch)
}

/// The branch of the value's kind that shares most of its keys with it, and misses fewest.
fn nearest<'s>(root: &'s Value, branches: &'s [Value], node: &Node<'_>) -> Option<&'s Value> {
    let keys = |branch: &'s Value| {
        let (mut shared, mut other) = (0_usize, 0_usize);
        for name in properties(root, branch).into_iter().flat_map(Keywords::keys) {
            *(if node.get(name).is_some() { &mut shared } else { &mut other }) += 1;
        }
        (std::cmp::Reverse(shared), other)
    };
    branches
        .iter()
        .filter(|branch| {
            let wanted = Wanted::of(root, branch);
            // Listed values are alternatives of one another, and of whatever else is allowed here.
            wanted.takes_kind_of(node) && !wanted.is_list()
        })
        .min_by_key(|branch| keys(branch))
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
