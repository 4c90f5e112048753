//! The one internal form of a tool's schema: draft 2020-12, inlined but for recursive types, no bare
//! booleans where a schema stands. Every dialect is converted from it.

use std::fmt;

use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value};

use crate::json;

/// Makes schemas of one tool: of its arguments, be they parameters of a function or a struct, or of its result. What
/// schemars needs for that is made when the first type asks for it, behind a pointer: there is a program without it where
/// no type does.
pub struct Generator {
    of_results: bool,
    made: Option<Box<dyn Makes>>,
}

trait Makes {
    fn generator(&mut self) -> &mut SchemaGenerator;
    fn definitions(&mut self) -> Map<String, Value>;
}

impl Makes for SchemaGenerator {
    fn generator(&mut self) -> &mut SchemaGenerator {
        self
    }

    fn definitions(&mut self) -> Map<String, Value> {
        self.take_definitions(true)
    }
}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Generator").field("of_results", &self.of_results).finish_non_exhaustive()
    }
}

impl Generator {
    /// For what a model writes.
    pub(crate) fn of_arguments() -> Self {
        Self { of_results: false, made: None }
    }

    /// For what a tool's value is written as.
    pub(crate) fn of_results() -> Self {
        Self { of_results: true, made: None }
    }

    pub(crate) fn get(&mut self) -> &mut SchemaGenerator {
        let of_results = self.of_results;
        let made = self.made.get_or_insert_with(|| {
            let mut settings = SchemaSettings::draft2020_12();
            settings.inline_subschemas = true;
            settings.meta_schema = None;
            Box::new(if of_results { settings.for_serialize() } else { settings }.into_generator())
        });
        made.generator()
    }

    /// What can't be inlined: recursive types. Every `$ref` resolves from the root.
    pub(crate) fn definitions(&mut self) -> Map<String, Value> {
        self.made.as_mut().map(|made| made.definitions()).unwrap_or_default()
    }
}

/// Brings a raw object schema into the internal form; an error says what is wrong with it.
pub(crate) fn normalise(mut schema: Value) -> Result<Value, String> {
    let Some(root) = schema.as_object_mut() else {
        return Err("its schema is not a JSON object; give the JSON Schema of an object".into());
    };
    root.shift_remove("$schema");
    // schemars titles the root with the Rust type's name, and only the root.
    root.shift_remove("title");
    match root.get("type") {
        None => {
            let rest = std::mem::take(root);
            root.insert("type".into(), "object".into());
            for (key, value) in rest {
                root.insert(key, value);
            }
        }
        Some(kind) if kind == "object" => {}
        Some(kind) => {
            let kind = json::text(kind);
            return Err(format!("its schema describes {kind}, not an object; take a struct or separate parameters"));
        }
    }
    if !root.contains_key("properties") {
        root.insert("properties".into(), Map::new().into());
    }
    tidy_here(&mut schema);
    match missing_definition(&schema, &schema) {
        Some(reference) => Err(format!("its schema refers to `{reference}`, which is not in it; add it under `$defs`")),
        None => Ok(schema),
    }
}

/// A schema anywhere in the tree: `true` becomes `{}`.
pub(crate) fn tidy(mut schema: Value) -> Value {
    tidy_here(&mut schema);
    schema
}

fn tidy_here(schema: &mut Value) {
    match schema {
        Value::Bool(takes_all) => {
            let mut object = Map::new();
            if !*takes_all {
                object.insert("not".to_owned(), Map::new().into());
            }
            *schema = object.into();
        }
        Value::Object(keywords) => {
            for (keyword, value) in keywords {
                tidy_under(keyword, value);
            }
        }
        _ => {}
    }
}

fn tidy_under(keyword: &str, value: &mut Value) {
    match (keyword, value) {
        ("properties" | "patternProperties" | "$defs" | "dependentSchemas", Value::Object(named)) => {
            named.values_mut().for_each(tidy_here);
        }
        // Before 2020-12 `items` could be a list.
        ("anyOf" | "oneOf" | "allOf" | "prefixItems" | "items", Value::Array(schemas)) => {
            schemas.iter_mut().for_each(tidy_here);
        }
        ("items" | "contains" | "not" | "propertyNames" | "if" | "then" | "else", schema) => tidy_here(schema),
        // A boolean is this keyword's ordinary form.
        ("additionalProperties" | "unevaluatedProperties", schema @ Value::Object(_)) => tidy_here(schema),
        _ => {}
    }
}

/// The first `$ref` that leads nowhere in `root`.
fn missing_definition(schema: &Value, root: &Value) -> Option<String> {
    match schema {
        Value::Object(object) => {
            if let Some(Value::String(reference)) = object.get("$ref") {
                let pointer = reference.strip_prefix('#');
                if pointer.and_then(|pointer| root.pointer(pointer)).is_none() {
                    return Some(reference.clone());
                }
            }
            object.values().find_map(|value| missing_definition(value, root))
        }
        Value::Array(values) => values.iter().find_map(|value| missing_definition(value, root)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::normalise;

    #[test]
    fn an_empty_struct_is_an_object_with_no_properties() {
        let expected = json!({ "type": "object", "properties": {} });
        assert_eq!(normalise(json!({ "type": "object", "title": "EmptyStruct" })), Ok(expected));
    }

    #[test]
    fn a_bare_boolean_becomes_an_object() {
        let schema = json!({ "type": "object", "properties": { "v": true, "l": { "type": "array", "items": true } } });
        let expected = json!({ "type": "object", "properties": { "v": {}, "l": { "type": "array", "items": {} } } });
        assert_eq!(normalise(schema), Ok(expected));
    }

    #[test]
    fn only_the_title_of_the_root_goes() {
        let schema = json!({ "title": "Args", "type": "object", "properties": { "title": { "title": "Town" } } });
        let expected = json!({ "type": "object", "properties": { "title": { "title": "Town" } } });
        assert_eq!(normalise(schema), Ok(expected));
    }

    #[test]
    fn a_reference_to_nowhere_is_an_error() {
        let schema = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/Node" } } });
        assert!(normalise(schema).is_err_and(|error| error.contains("#/$defs/Node")));
    }

    #[test]
    fn only_objects_can_be_arguments() {
        assert!(normalise(json!({ "type": "array" })).is_err_and(|error| error.contains("array")));
        assert!(normalise(json!(true)).is_err());
    }
}
