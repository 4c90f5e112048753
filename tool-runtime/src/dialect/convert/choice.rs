//! A choice between objects beside the properties of an object, as `#[serde(flatten)]` of an enum makes it. At the
//! root no provider takes one, and a strict object that lists its properties has no room for it.

use serde_json::{Map, Value, json};

use super::{Form, Walk, Weight, plain, reference::Resolver, words};

/// Deepest nesting of choices in choices that is looked into.
const MAX_NESTED: usize = 16;

/// Folds every choice at the root into its properties.
pub(super) fn fold_root(root: &mut Map<String, Value>, walk: &mut Walk<'_>) {
    if let Some(reference) = root.shift_remove("$ref") {
        root.insert("allOf".into(), json!([{ "$ref": reference }]));
    }
    fold_into(root, walk);
}

fn fold_into(object: &mut Map<String, Value>, walk: &mut Walk<'_>) {
    let folded = fold(object, &mut walk.resolver, MAX_NESTED);
    for said in &folded.said {
        walk.reword(object, said);
    }
    if folded.adds_untagged && walk.form == Form::OpenAiStrict {
        let what = "a choice between objects without a tag, and a strict object has all its properties at once; tag \
                    the enum (`#[serde(tag = \"..\")]`), or drop `strict`";
        walk.lose(what, Weight::Inexpressible);
    }
}

/// In a strict schema, a choice inside: each branch becomes the whole object.
pub(super) fn distribute(node: &mut Map<String, Value>, walk: &mut Walk<'_>) {
    if node.contains_key("allOf") && is_object(node) {
        fold_into(node, walk);
        return;
    }
    let Some(Value::Array(branches)) = node.get("anyOf") else { return };
    let Some(Value::Object(shared)) = node.get("properties") else {
        // Each branch says so itself.
        if branches.iter().all(|branch| branch.get("type").is_some_and(|kind| kind == "object")) {
            node.shift_remove("type");
        }
        return;
    };
    let branches: Vec<&Map<String, Value>> =
        branches.iter().filter_map(|branch| walk.resolver.resolve(branch)?.as_object()).collect();
    if !branches.iter().all(|branch| branch.contains_key("properties")) {
        fold_into(node, walk);
        return;
    }
    let shared = Map::from_iter([("properties".to_owned(), shared.clone().into())]);
    let mut whole = Vec::with_capacity(branches.len());
    for branch in branches {
        if !walk.resolver.may_copy(&shared["properties"]) {
            break;
        }
        let mut branch = branch.clone();
        absorb(&mut branch, &shared);
        require(&mut branch, words::strings(node.get("required")).map(str::to_owned).collect());
        branch.insert("type".into(), "object".into());
        whole.push(Value::from(branch));
    }
    for key in ["type", "properties", "required", "additionalProperties"] {
        node.shift_remove(key);
    }
    node.insert("anyOf".into(), whole.into());
}

fn is_object(node: &Map<String, Value>) -> bool {
    node.get("type").is_some_and(|kind| kind == "object") || node.contains_key("properties")
}

/// What became of the choices of an object.
#[derive(Default)]
struct Folded {
    /// Which branch needs what.
    said: Vec<String>,
    /// Properties came from a choice in which no property tells the branches apart.
    adds_untagged: bool,
}

impl Folded {
    fn extend(&mut self, other: Self) {
        self.said.extend(other.said);
        self.adds_untagged |= other.adds_untagged;
    }
}

fn fold(object: &mut Map<String, Value>, resolver: &mut Resolver<'_>, depth: usize) -> Folded {
    let mut folded = Folded::default();
    if depth == 0 {
        let left_out = ["allOf", "oneOf", "anyOf"].map(|key| object.shift_remove(key).is_some());
        resolver.has_given_up |= left_out.contains(&true);
        return folded;
    }
    if let Some(Value::Array(parts)) = object.shift_remove("allOf") {
        for part in &parts {
            let Some(Value::Object(part)) = resolver.resolve(part) else { continue };
            let mut part = part.clone();
            folded.extend(fold(&mut part, resolver, depth - 1));
            absorb(object, &part);
            let required = words::strings(part.get("required")).map(str::to_owned).collect();
            require(object, required);
        }
    }
    for key in ["oneOf", "anyOf"] {
        let Some(Value::Array(branches)) = object.shift_remove(key) else { continue };
        let mut choice = Vec::new();
        for branch in &branches {
            // Anything but an object can't be the arguments.
            let Some(Value::Object(branch)) = resolver.resolve(branch) else { continue };
            let mut branch = branch.clone();
            folded.extend(fold(&mut branch, resolver, depth - 1));
            if is_object(&branch) || branch.contains_key("required") {
                choice.push(branch);
            }
        }
        folded.extend(Choice { branches: choice, is_exact: key == "oneOf" }.fold_into(object));
    }
    folded
}

struct Choice {
    branches: Vec<Map<String, Value>>,
    is_exact: bool,
}

impl Choice {
    fn fold_into(&self, object: &mut Map<String, Value>) -> Folded {
        let always = self.always_required();
        let tag = self.tag(&always);
        let own = |name: &str| object.get("properties").is_some_and(|known| known.get(name).is_some());
        let new: Vec<&str> = self.names().into_iter().filter(|name| !own(name)).collect();
        let folded = Folded {
            said: self.said(tag, &always).into_iter().collect(),
            adds_untagged: tag.is_none() && self.branches.len() > 1 && !new.is_empty(),
        };
        let new: Map<String, Value> = new.into_iter().map(|name| (name.to_owned(), self.property(name))).collect();
        absorb(object, &Map::from_iter([("properties".to_owned(), new.into())]));
        require(object, always.iter().map(|name| (*name).to_owned()).collect());
        folded
    }

    /// The properties of all branches, in the order in which they come.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in self.branches.iter().filter_map(|branch| branch.get("properties")?.as_object()).flatten() {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    fn property(&self, name: &str) -> Value {
        let schemas: Vec<&Value> =
            self.branches.iter().filter_map(|branch| branch.get("properties")?.get(name)).collect();
        let constants: Option<Vec<&Value>> = schemas.iter().map(|schema| constant(schema)).collect();
        match constants {
            Some(constants) if constants.iter().all(|constant| constant.is_string()) => {
                let mut names: Vec<&Value> = Vec::new();
                for constant in constants {
                    if !names.contains(&constant) {
                        names.push(constant);
                    }
                }
                json!({ "type": "string", "enum": names })
            }
            _ => plain::any_of(schemas.into_iter().cloned().collect()),
        }
    }

    fn always_required(&self) -> Vec<&str> {
        let Some((first, others)) = self.branches.split_first() else { return Vec::new() };
        words::strings(first.get("required"))
            .filter(|name| {
                others.iter().all(|branch| words::strings(branch.get("required")).any(|known| known == *name))
            })
            .collect()
    }

    /// The property that tells the branches apart.
    fn tag<'n>(&self, always: &[&'n str]) -> Option<&'n str> {
        always.iter().copied().find(|name| {
            let values: Option<Vec<&Value>> =
                self.branches.iter().map(|branch| constant(branch.get("properties")?.get(*name)?)).collect();
            values
                .is_some_and(|values| values.iter().enumerate().all(|(index, value)| !values[..index].contains(value)))
        })
    }

    fn said(&self, tag: Option<&str>, always: &[&str]) -> Option<String> {
        if self.branches.len() < 2 {
            return None;
        }
        let needs = |branch| {
            let names: Vec<&str> =
                words::strings(Map::get(branch, "required")).filter(|name| !always.contains(name)).collect();
            if names.is_empty() { "nothing else".to_owned() } else { words::list(&names) }
        };
        let Some(tag) = tag else {
            let each: Vec<String> = self.branches.iter().map(needs).collect();
            let how_many = if self.is_exact { "Exactly one" } else { "At least one" };
            return Some(format!("{how_many} of these is required: {}.", each.join("; ")));
        };
        let each: Vec<String> = self
            .branches
            .iter()
            .filter_map(|branch| {
                let value = constant(branch.get("properties")?.get(tag)?)?;
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                Some(format!("{value} requires {}", needs(branch)))
            })
            .collect();
        Some(format!("Depending on `{tag}`: {}.", each.join("; ")))
    }
}

/// The one value that a schema allows.
fn constant(schema: &Value) -> Option<&Value> {
    schema.get("const").or_else(|| match schema.get("enum")?.as_array()?.as_slice() {
        [only] => Some(only),
        _ => None,
    })
}

/// Adds properties; those that are there already stay. A description is taken where there is none.
fn absorb(object: &mut Map<String, Value>, part: &Map<String, Value>) {
    if let Some(Value::Object(new)) = part.get("properties") {
        if !object.get("properties").is_some_and(Value::is_object) {
            object.insert("properties".into(), Map::new().into());
        }
        if let Some(Value::Object(properties)) = object.get_mut("properties") {
            for (name, schema) in new {
                properties.entry(name.clone()).or_insert_with(|| schema.clone());
            }
        }
    }
    for (key, value) in part
        .iter()
        .filter(|(key, _)| !matches!(key.as_str(), "properties" | "required" | "type" | "$defs" | "definitions"))
    {
        // What closes a part would close the whole.
        if *value != json!(false) {
            object.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
}

fn require(object: &mut Map<String, Value>, names: Vec<String>) {
    let mut required: Vec<String> = words::strings(object.get("required")).map(str::to_owned).collect();
    for name in names {
        if !required.contains(&name) {
            required.push(name);
        }
    }
    if !required.is_empty() {
        object.insert("required".into(), required.into());
    }
}
