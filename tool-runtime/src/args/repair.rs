//! Repairs of values that lose nothing, guided by the schema. What already fits is never touched.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    decimal::Decimal,
    expect::{self, Keywords, Wanted},
    members::Members,
    pointer, scan,
    shown::shown,
    tree::{Member, Node, is_integer},
    union,
    walk::Walk,
};
use crate::find::normalise;

/// Repairs noted one by one.
const MAX_NOTES: usize = 100;
/// Schemas followed inside one another without a value between them, at most.
const MAX_HOPS: usize = 16;

/// The object with its values repaired, and a note for each; `None` where there is nothing to repair. Members that
/// `may_touch` says no to stay as they are.
pub(super) fn values<'t>(
    schema: &Value,
    node: &Node<'t>,
    may_touch: &dyn Fn(&str) -> bool,
) -> Option<(Node<'t>, Vec<String>)> {
    let walk = Walk::new(schema, node);
    let mut repair = Repair { walk, path: String::new(), notes: Vec::new(), hops: 0, is_wrapped: false, may_touch };
    let mended = repair.mend(schema, node)?;
    if repair.walk.is_exhausted() {
        return None;
    }
    let mut notes = repair.notes;
    let more = notes.len().saturating_sub(MAX_NOTES);
    if more > 0 {
        notes.truncate(MAX_NOTES);
        notes.push(format!("{more} more repairs"));
    }
    Some((mended, notes))
}

struct Repair<'r, 's> {
    walk: Walk<'s>,
    path: String,
    notes: Vec<String>,
    hops: usize,
    /// Whether the value stands in a list made for it: one list is all it gets.
    is_wrapped: bool,
    may_touch: &'r dyn Fn(&str) -> bool,
}

impl<'s> Repair<'_, 's> {
    /// The repaired value, or `None` where it fits or can't be repaired.
    fn mend<'t>(&mut self, schema: &'s Value, node: &Node<'t>) -> Option<Node<'t>> {
        // The root may fit the schema and still not its type, so its members are looked at in any case.
        self.walk.spend(node.weight_alone());
        if self.hops > MAX_HOPS || (!self.path.is_empty() && self.walk.fits(schema, node)) {
            return None;
        }
        let keywords = schema.as_object()?;
        if self.walk.is_exhausted() || !self.walk.enter() {
            return None;
        }
        self.hops += 1;
        let mended = self.mend_here(keywords, node);
        self.hops -= 1;
        self.walk.leave();
        mended
    }

    fn mend_here<'t>(&mut self, keywords: &'s Keywords, node: &Node<'t>) -> Option<Node<'t>> {
        if let Some(target) = expect::resolve(self.walk.root, keywords) {
            if let Some(mended) = self.mend(target, node) {
                return Some(mended);
            }
        }
        if let (Node::String(text), Some(values)) = (node, expect::listed(keywords)) {
            return self.respell(text, values);
        }
        let wants = |kind: &str| expect::takes(keywords, kind);
        let mended = match node {
            Node::String(text) => self.read_string(keywords, text),
            Node::Number(number) if wants("integer") => whole(number).map(|whole| self.convert(node, "integer", whole)),
            Node::Number(number) if is_only(keywords, "string") => {
                Some(self.convert(node, "string", Node::String(number.clone())))
            }
            Node::Bool(truth) if is_only(keywords, "string") => {
                Some(self.convert(node, "string", Node::String(Cow::Owned(truth.to_string()))))
            }
            Node::Array(items) => self.items(keywords, items),
            Node::Object(members) if !is_only(keywords, "array") => self.members(keywords, members),
            _ => None,
        };
        if mended.is_some() {
            return mended;
        }
        if let Some(branches) = expect::branches(keywords) {
            return self.alternatives(branches, node);
        }
        let is_lone = !self.is_wrapped && !matches!(node, Node::Array(_) | Node::Null) && is_only(keywords, "array");
        if is_lone { self.listed_alone(keywords, node) } else { None }
    }

    fn note(&mut self, what: &str) {
        self.notes.push(format!("{}: {what}", shown(&self.path, 80)));
    }

    fn convert<'t>(&mut self, from: &Node<'_>, to: &str, mended: Node<'t>) -> Node<'t> {
        self.note(&format!("{} -> {to}", from.kind()));
        mended
    }

    /// The one listed value that the text spells in another way.
    fn respell<'t>(&mut self, text: &str, values: &[Value]) -> Option<Node<'t>> {
        let given = normalise(text.trim());
        let mut same = values.iter().filter_map(Value::as_str).filter(|value| normalise(value) == given);
        let meant = same.next().filter(|_| same.next().is_none())?;
        self.note(&format!("{} -> {}", shown(text, 80), shown(meant, 80)));
        Some(Node::String(Cow::Owned(meant.to_owned())))
    }

    fn read_string<'t>(&mut self, keywords: &'s Keywords, text: &str) -> Option<Node<'t>> {
        let wants = |kind: &str| expect::takes(keywords, kind);
        if wants("string") {
            return None;
        }
        let trimmed = text.trim();
        let number = || Some(Node::Number(Cow::Owned(trimmed.to_owned())));
        let (kind, mended) = if (wants("integer") || wants("number")) && scan::is_number(trimmed, "integer") {
            (if wants("integer") { "integer" } else { "number" }, number()?)
        } else if wants("number") && scan::is_number(trimmed, "number") {
            ("number", number()?)
        } else if wants("boolean") && trimmed.eq_ignore_ascii_case("true") {
            ("boolean", Node::Bool(true))
        } else if wants("boolean") && trimmed.eq_ignore_ascii_case("false") {
            ("boolean", Node::Bool(false))
        } else {
            let decoded = decoded(trimmed).filter(|node| wants(node.kind()))?;
            self.walk.spend(decoded.weight());
            let kind = decoded.kind();
            self.note(&format!("string -> {kind}"));
            let mended = match &decoded {
                Node::Array(items) => self.items(keywords, items),
                Node::Object(members) => self.members(keywords, members),
                _ => None,
            };
            return Some(mended.unwrap_or(decoded));
        };
        self.note(&format!("string -> {kind}"));
        Some(mended)
    }

    fn items<'t>(&mut self, keywords: &'s Keywords, items: &[Node<'t>]) -> Option<Node<'t>> {
        let first = expect::list(keywords, "prefixItems");
        let rest = keywords.get("items");
        // Those before `taken` are in `new`; nothing is copied before something has been mended.
        let (mut new, mut taken) = (Vec::new(), 0);
        for (index, item) in items.iter().enumerate() {
            let Some(schema) = first.get(index).or(rest) else { continue };
            let mended = self.inside(&index.to_string(), |repair| repair.mend(schema, item));
            if let Some(mended) = mended {
                self.copy_items(&items[taken..index], &mut new);
                new.push(mended);
                taken = index + 1;
            }
        }
        if taken == 0 {
            return None;
        }
        self.copy_items(&items[taken..], &mut new);
        Some(Node::Array(new))
    }

    fn copy_items<'t>(&mut self, items: &[Node<'t>], new: &mut Vec<Node<'t>>) {
        for item in items {
            new.push(self.copy(item));
        }
    }

    fn members<'t>(&mut self, keywords: &'s Keywords, members: &[Member<'t>]) -> Option<Node<'t>> {
        let properties = keywords.get("properties").and_then(Value::as_object);
        let required = expect::list(keywords, "required");
        let (mut new, mut taken) = (Vec::new(), 0);
        for (index, (key, value)) in members.iter().enumerate() {
            let may_touch = !self.path.is_empty() || (self.may_touch)(key);
            let declared = properties.and_then(|properties| properties.get(key.as_ref()));
            let is_optional = declared.is_some() && !required.iter().any(|name| name.as_str() == Some(key.as_ref()));
            let schema = declared.or_else(|| keywords.get("additionalProperties")).filter(|_| may_touch);
            let Some(schema) = schema else { continue };
            match self.inside(key, |repair| repair.member(schema, value, is_optional)) {
                Mended::Same => continue,
                Mended::New(value) => {
                    self.copy_members(&members[taken..index], &mut new);
                    new.push((key.clone(), value));
                }
                Mended::Absent => self.copy_members(&members[taken..index], &mut new),
            }
            taken = index + 1;
        }
        if taken == 0 {
            return None;
        }
        self.copy_members(&members[taken..], &mut new);
        Some(Node::Object(new))
    }

    fn copy_members<'t>(&mut self, members: &[Member<'t>], new: &mut Vec<Member<'t>>) {
        for (key, value) in members {
            new.push((key.clone(), self.copy(value)));
        }
    }

    /// A value that stays as it is beside one that doesn't. What can't be paid for is left out: the repair has failed.
    fn copy<'t>(&mut self, node: &Node<'t>) -> Node<'t> {
        self.walk.spend(node.weight());
        if self.walk.is_exhausted() { Node::Null } else { node.clone() }
    }

    fn member<'t>(&mut self, schema: &'s Value, value: &Node<'t>, is_optional: bool) -> Mended<'t> {
        let is_blank = matches!(value, Node::String(text) if text.is_empty());
        if (is_blank || matches!(value, Node::Null)) && !self.walk.fits(schema, value) {
            let wanted = Wanted::of(self.walk.root, schema);
            let word = if is_blank { "empty string" } else { "null" };
            let is_other_kind = !wanted.takes_kind_of(value);
            if is_optional && is_other_kind {
                self.note(&format!("{word} treated as absent"));
                return Mended::Absent;
            }
            if wanted.null && is_other_kind {
                self.note(&format!("{word} treated as null"));
                return Mended::New(Node::Null);
            }
        }
        self.mend(schema, value).map_or(Mended::Same, Mended::New)
    }

    /// One value where a list is wanted.
    fn listed_alone<'t>(&mut self, keywords: &'s Keywords, node: &Node<'t>) -> Option<Node<'t>> {
        let schema = keywords.get("items").filter(|_| !keywords.contains_key("prefixItems"))?;
        let notes = self.notes.len();
        self.note(&format!("{} -> array", node.kind()));
        let item = if self.walk.fits(schema, node) {
            Some(self.copy(node))
        } else {
            let mend = |repair: &mut Self| {
                repair.is_wrapped = true;
                repair.mend(schema, node)
            };
            self.inside("0", mend).filter(|item| self.walk.fits(schema, item))
        };
        if item.is_none() {
            self.notes.truncate(notes);
        }
        Some(Node::Array(vec![item?]))
    }

    fn alternatives<'t>(&mut self, branches: &'s [Value], node: &Node<'t>) -> Option<Node<'t>> {
        let wanted: Vec<_> = branches.iter().map(|branch| Wanted::of(self.walk.root, branch)).collect();
        // Finding out which one is meant looks at them again, and then once more.
        self.walk.spend(3 * wanted.iter().map(|wanted| wanted.cost).sum::<usize>());
        if let Node::String(text) = node {
            let takes_strings = wanted.iter().any(|wanted| wanted.any || wanted.kinds.contains(&"string"));
            if let Some(decoded) = (!takes_strings).then(|| decoded(text.trim())).flatten() {
                self.walk.spend(decoded.weight());
                self.note("decoded JSON string");
                if branches.iter().any(|branch| self.walk.fits(branch, &decoded)) {
                    return Some(decoded);
                }
                return Some(self.meant(branches, &decoded).unwrap_or(decoded));
            }
        }
        if let Some(mended) = self.meant(branches, node) {
            return Some(mended);
        }
        // Whatever one alternative alone can make of it.
        let notes = self.notes.len();
        let mut only = None;
        for (branch, this) in branches.iter().zip(&wanted) {
            // A number becomes a string where nothing but a string will do.
            let is_last_resort = !matches!(node, Node::String(_)) && this.kinds.contains(&"string");
            if is_last_resort && wanted.iter().any(|other| other.takes_other_than(this)) {
                continue;
            }
            let begun = self.notes.len();
            match self.mend(branch, node).filter(|mended| self.walk.fits(branch, mended)) {
                None => self.notes.truncate(begun),
                Some(mended) if only.is_none() => only = Some(mended),
                Some(_) => {
                    self.notes.truncate(notes);
                    return None;
                }
            }
        }
        only
    }

    /// The repair for the alternative that the value names by its tag or its keys.
    fn meant<'t>(&mut self, branches: &'s [Value], node: &Node<'t>) -> Option<Node<'t>> {
        if !matches!(node, Node::Object(_) | Node::Array(_)) {
            return None;
        }
        let branch = union::meant(self.walk.root, branches, node)?;
        self.mend(branch, node)
    }

    fn inside<T>(&mut self, step: &str, then: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        let (hops, is_wrapped) = (std::mem::take(&mut self.hops), std::mem::take(&mut self.is_wrapped));
        pointer::push(&mut self.path, step);
        let done = then(self);
        self.path.truncate(length);
        (self.hops, self.is_wrapped) = (hops, is_wrapped);
        done
    }
}

enum Mended<'t> {
    Same,
    New(Node<'t>),
    Absent,
}

/// Whether a schema takes this kind, `null` perhaps, and no other.
fn is_only(keywords: &Keywords, kind: &str) -> bool {
    expect::takes(keywords, kind) && expect::types(keywords).all(|name| name == kind || name == "null")
}

/// `5.0` and `5e0` as `5`, as long as no reader would have rounded it.
fn whole<'t>(number: &str) -> Option<Node<'t>> {
    if is_integer(number) {
        return None;
    }
    Decimal::parse(number).exact_integer().map(|whole| Node::Number(Cow::Owned(whole)))
}

/// JSON text of an object or a list in which no key is ambiguous.
fn decoded(text: &str) -> Option<Node<'static>> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let is_sound = match scan::scan(text, super::DEEPEST, &mut Members::new()) {
        Ok(found) => found == scan::Found::default(),
        Err(fault) => fault == scan::Fault::NotAnObject("array"),
    };
    is_sound.then(|| Node::parse(text).into_owned())
}
