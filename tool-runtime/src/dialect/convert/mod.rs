//! From the internal schema to the one that a provider takes, with a list of what got lost on the way.

mod choice;
mod null;
mod plain;
mod reference;
mod strict;
#[cfg(test)]
mod tests;
mod words;

use serde_json::{Map, Value};

use self::{reference::Resolver, strict::Grammar};

/// What a schema is converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// What every provider takes: no `null` types (an optional parameter is absent from `required` instead), no
    /// `oneOf`, no tuples, enums as lists, no number formats of Rust's, no choice at the root.
    Open,
    /// The same; and Anthropic refuses a request in which the name of one parameter has other characters than these.
    OpenAnthropic,
    OpenAiStrict,
    AnthropicStrict,
}

/// A schema in a provider's form.
#[derive(Debug)]
pub(super) struct Converted {
    pub(super) schema: Value,
    /// In the order of the schema.
    pub(super) losses: Vec<Loss>,
}

/// One thing that the form can't say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loss {
    /// JSON Pointer into the schema.
    pub(super) path: String,
    pub(super) what: String,
    pub(super) weight: Weight,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// The schema says it in words.
    Reworded,
    /// The tool can't be called as it should, or the form can't be had.
    Inexpressible,
}

impl Converted {
    pub(super) fn is_faithful(&self) -> bool {
        self.losses.iter().all(|loss| loss.weight == Weight::Reworded)
    }
}

pub(super) fn convert(schema: &Value, form: Form) -> Converted {
    let resolver = Resolver::new(schema, MOST_AT_ROOT);
    let mut walk = Walk { resolver, form, path: String::new(), losses: Vec::new() };
    let mut root = schema.clone();
    if let Value::Object(object) = &mut root {
        choice::fold_root(object, &mut walk);
    }
    let inside = Resolver::new(schema, MOST_INSIDE);
    let has_given_up = std::mem::replace(&mut walk.resolver, inside).has_given_up;
    if let Some(path) = walk.grammar().filter(|grammar| !grammar.recursive).and_then(|_| reference::recursion(schema)) {
        let what = "a type that contains itself, and a strict schema is finite; take a flat list, or drop `strict`";
        walk.lose_at(path, what, Weight::Inexpressible);
    }
    let mut schema = walk.schema(root, Place::Root);
    if has_given_up || walk.resolver.has_given_up {
        let what = "a choice between objects that refer to themselves, or to too many others; write the objects out";
        walk.lose_at(String::new(), what, Weight::Inexpressible);
    }
    if let (Form::OpenAnthropic | Form::AnthropicStrict, Value::Object(object)) = (form, &mut schema) {
        plain::name_properties(object, &mut walk);
    }
    Converted { schema, losses: walk.losses }
}

/// References that are replaced by what they point to, in choices at the root.
const MOST_AT_ROOT: usize = 1000;
/// The same inside, where each may make the schema deeper.
const MOST_INSIDE: usize = 64;

/// Where a schema stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The arguments themselves, which are never `null`.
    Root,
    /// Of a property that may be left out.
    Optional,
    Elsewhere,
}

struct Walk<'r> {
    resolver: Resolver<'r>,
    form: Form,
    path: String,
    losses: Vec<Loss>,
}

impl Walk<'_> {
    fn grammar(&self) -> Option<&'static Grammar> {
        match self.form {
            Form::Open | Form::OpenAnthropic => None,
            Form::OpenAiStrict => Some(&strict::OPEN_AI),
            Form::AnthropicStrict => Some(&strict::ANTHROPIC),
        }
    }

    fn lose(&mut self, what: impl Into<String>, weight: Weight) {
        self.lose_at(self.path.clone(), what, weight);
    }

    fn lose_at(&mut self, path: String, what: impl Into<String>, weight: Weight) {
        self.losses.push(Loss { path, what: what.into(), weight });
    }

    /// Says in the description what the schema can no longer say.
    fn reword(&mut self, node: &mut Map<String, Value>, said: &str) {
        words::say(node, said);
        self.lose(format!("only said in words: {said}"), Weight::Reworded);
    }

    fn under<R>(&mut self, segments: &[&str], work: impl FnOnce(&mut Self) -> R) -> R {
        let length = self.path.len();
        for segment in segments {
            self.path.push('/');
            self.path.push_str(&segment.replace('~', "~0").replace('/', "~1"));
        }
        let done = work(self);
        self.path.truncate(length);
        done
    }

    fn schema(&mut self, schema: Value, place: Place) -> Value {
        let Value::Object(mut node) = schema else { return schema };
        let takes_null = null::take(&mut node);
        // A lone part of an `allOf` is what other generators put beside a description.
        null::hoist_only(&mut node, "allOf");
        reference::stand_alone(&mut node);
        plain::merge_documented_enum(&mut node);
        plain::rename_one_of(&mut node);
        if self.grammar().is_some() {
            // First, for what it brings in has to be brought into form too.
            choice::distribute(&mut node, self);
        }
        plain::drop_rust_formats(&mut node);
        plain::split_types(&mut node);
        plain::tuple_to_list(&mut node, self);
        plain::patterns_to_map(&mut node, self);
        plain::complete(&mut node);
        self.children(&mut node);
        plain::merge_equal_branches(&mut node);
        if let Some(grammar) = self.grammar() {
            strict::close(&mut node, grammar, self);
        }
        self.with_null(node, takes_null, place).into()
    }

    /// Says `null` in the form's way.
    fn with_null(&mut self, mut node: Map<String, Value>, takes_null: bool, place: Place) -> Map<String, Value> {
        if place == Place::Root {
            return node;
        }
        let is_optional = place == Place::Optional;
        match self.grammar() {
            Some(grammar) if grammar.requires_all && (takes_null || is_optional) => null::add(node),
            Some(_) if takes_null && !is_optional => null::add(node),
            // Leaving it out says the same.
            _ if !takes_null || is_optional => node,
            _ => {
                self.reword(&mut node, "(null is allowed)");
                node
            }
        }
    }

    fn children(&mut self, node: &mut Map<String, Value>) {
        let required: Vec<String> = words::strings(node.get("required")).map(str::to_owned).collect();
        let mut gone = Vec::new();
        for (key, value) in node.iter_mut() {
            match (key.as_str(), value) {
                ("properties", Value::Object(named)) => named.retain(|name, schema| {
                    let is_required = required.contains(name);
                    if is_never(schema) && !is_required {
                        return false;
                    }
                    let place = if is_required { Place::Elsewhere } else { Place::Optional };
                    self.child(&[key, name], schema, place);
                    true
                }),
                ("$defs" | "definitions", Value::Object(named)) => {
                    for (name, schema) in named.iter_mut() {
                        self.child(&[key, name], schema, Place::Elsewhere);
                    }
                }
                ("anyOf" | "allOf", Value::Array(branches)) => {
                    // A variant that can't be.
                    branches.retain(|branch| !is_never(branch));
                    for (index, branch) in branches.iter_mut().enumerate() {
                        self.child(&[key, &index.to_string()], branch, Place::Elsewhere);
                    }
                    if branches.is_empty() {
                        gone.push(key.clone());
                    }
                }
                ("items" | "additionalProperties", schema) => self.child(&[key], schema, Place::Elsewhere),
                _ => {}
            }
        }
        for key in gone {
            node.shift_remove(&key);
            node.insert("not".to_owned(), Map::new().into());
        }
    }

    fn child(&mut self, segments: &[&str], schema: &mut Value, place: Place) {
        self.under(segments, |walk| {
            let converted = walk.schema(schema.take(), place);
            *schema = if is_never(&converted) { walk.never() } else { converted };
        });
    }

    fn never(&mut self) -> Value {
        let what = "uninhabited type (`not: {}`): an enum without variants cannot be a parameter";
        self.lose(what, Weight::Inexpressible);
        Map::from_iter([("description".to_owned(), "(no value is allowed)".into())]).into()
    }
}

/// Whether no value fits.
fn is_never(schema: &Value) -> bool {
    schema.get("not").and_then(Value::as_object).is_some_and(Map::is_empty)
}
