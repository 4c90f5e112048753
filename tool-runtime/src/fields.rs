//! A function's parameters: what they say of themselves in a schema, and how each takes its value from a call.
//!
//! The macro writes one `const Param<T>` for each parameter. Whatever depends on `T` is behind a function pointer,
//! so a tool adds no generic code of its own.

use std::{
    borrow::Borrow,
    ffi::OsStr,
    fmt,
    marker::PhantomData,
    path::{Path, PathBuf},
};

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde::{
    Deserializer, Serialize,
    de::{DeserializeOwned, Error as _, Visitor, value::Error as Plain},
};
use serde_json::{Map, Value, json};

use crate::request::Misfit;

/// What a type must be to be the parameter of a tool.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a parameter of a tool, it has to be read from JSON and to have a JSON schema",
    label = "derive `serde::Deserialize` and `schemars::JsonSchema` on it, or on the type inside it; it also has to be `Send`"
)]
pub trait ToolParam: DeserializeOwned + JsonSchema + Send {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send> ToolParam for T {}

/// What a type must be when its schema comes from elsewhere (`#[schemars(with = "..")]`).
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a parameter of a tool, it has to be read from JSON",
    label = "derive `serde::Deserialize` on it, or say how to read it: `#[serde(deserialize_with = \"..\")]`"
)]
pub trait ParamValue: DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> ParamValue for T {}

/// What a type must be when its value is decoded by a function of the user's.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't describe a parameter of a tool, it has no JSON schema",
    label = "derive `schemars::JsonSchema` on it, or name a type that has one: `#[schemars(with = \"..\")]`"
)]
pub trait ParamSchema: JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema> ParamSchema for T {}

/// A type that is passed by reference, with the type that is decoded to lend it.
#[diagnostic::on_unimplemented(
    message = "`&{Self}` can't be a parameter of a tool, there is no owned type to decode into",
    label = "use a type of known size, or `&str`, `&[T]`, `&Path`"
)]
pub trait Borrowed {
    /// What is decoded.
    type Owned: Borrow<Self>;
}

impl<T> Borrowed for T {
    type Owned = T;
}

impl Borrowed for str {
    type Owned = String;
}

impl<T> Borrowed for [T] {
    type Owned = Vec<T>;
}

impl Borrowed for Path {
    type Owned = PathBuf;
}

impl Borrowed for OsStr {
    type Owned = std::ffi::OsString;
}

/// Lends a decoded argument.
pub fn borrow<T: Borrowed + ?Sized>(owned: &T::Owned) -> &T {
    owned.borrow()
}

/// Lends a decoded argument that may be absent.
pub fn borrow_option<T: Borrowed + ?Sized>(owned: &Option<T::Owned>) -> Option<&T> {
    owned.as_ref().map(Borrow::borrow)
}

/// A value for a parameter that the call left out.
struct Fallback<T> {
    value: fn() -> T,
    json: fn(&T) -> Option<Value>,
}

/// One parameter of a tool.
pub struct Param<T> {
    description: &'static str,
    schema: fn(&mut SchemaGenerator) -> Schema,
    decode: fn(&str) -> Result<T, String>,
    missing: fn() -> Option<T>,
    default: Option<Fallback<T>>,
    edit: Option<fn(&mut Edit<'_>)>,
}

impl<T> Param<T> {
    /// A parameter that is all its type says.
    pub const fn new(description: &'static str) -> Self
    where
        T: ToolParam,
    {
        Self::from_parts(description, schema_of::<T>, decode::<T>, missing::<T>)
    }

    /// A parameter whose schema or decoding is not its type's own.
    pub const fn from_parts(
        description: &'static str,
        schema: fn(&mut SchemaGenerator) -> Schema,
        decode: fn(&str) -> Result<T, String>,
        missing: fn() -> Option<T>,
    ) -> Self {
        Self { description, schema, decode, missing, default: None, edit: None }
    }

    /// The value when the call has none; `json` writes it into the schema where its type can.
    #[must_use]
    pub const fn default(mut self, value: fn() -> T, json: fn(&T) -> Option<Value>) -> Self {
        self.default = Some(Fallback { value, json });
        self
    }

    /// What `#[schemars(..)]` changes about the schema.
    #[must_use]
    pub const fn edit(mut self, edit: fn(&mut Edit<'_>)) -> Self {
        self.edit = Some(edit);
        self
    }

    /// The value of slot `index`; where there is none, `slots` knows why.
    pub fn take(&self, slots: &mut Slots<'_>, index: usize) -> Option<T> {
        match slots.values.get(index).copied().flatten() {
            Some(text) => match (self.decode)(text) {
                Ok(value) => Some(value),
                Err(message) => slots.refuse(index, message),
            },
            None => match &self.default {
                Some(default) => Some((default.value)()),
                None => match (self.missing)() {
                    Some(value) => Some(value),
                    None => slots.refuse(index, "missing".to_owned()),
                },
            },
        }
    }
}

impl<T> fmt::Debug for Param<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Param").field("description", &self.description).finish_non_exhaustive()
    }
}

/// A parameter with its type erased, for describing it.
pub trait Describe: Sync {
    /// Adds the parameter to the tool's schema as the property `name`.
    fn describe(&self, name: &'static str, fields: &mut Fields);
}

impl<T> Describe for Param<T> {
    fn describe(&self, name: &'static str, fields: &mut Fields) {
        let schema = (self.schema)(&mut fields.generator);
        let default = self.default.as_ref().and_then(|default| (default.json)(&(default.value)()));
        let is_required = self.default.is_none() && (self.missing)().is_none();
        fields.add(name, self.description, schema, is_required, default, self.edit);
    }
}

/// The schema of `T`, inlined as far as it is not recursive.
pub fn schema_of<T: ParamSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Decodes as `T`'s own `Deserialize` does.
pub fn decode<T: ParamValue>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Decodes with a function like those in `#[serde(deserialize_with = "..")]`.
pub fn decode_with<'de, T>(
    text: &'de str,
    with: impl FnOnce(&mut serde_json::Deserializer<serde_json::de::StrRead<'de>>) -> Result<T, serde_json::Error>,
) -> Result<T, String> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = with(&mut reader).map_err(|error| error.to_string())?;
    reader.end().map_err(|error| error.to_string())?;
    Ok(value)
}

/// The value that `T` has when the call leaves it out: as in serde, what takes an absent option.
pub fn missing<T: ParamValue>() -> Option<T> {
    T::deserialize(Missing).ok()
}

/// For parameters with a decoding function: as in serde, such a one is required without a default.
pub fn required<T>() -> Option<T> {
    None
}

/// Offers no value, and `None` to those who ask for an option.
struct Missing;

impl<'de> Deserializer<'de> for Missing {
    type Error = Plain;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Plain> {
        Err(Plain::custom("missing"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Plain> {
        visitor.visit_none()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Collects the properties of one tool into one object schema, in the order of the parameters.
pub struct Fields {
    generator: SchemaGenerator,
    properties: Map<String, Value>,
    required: Vec<Value>,
    faults: Vec<String>,
}

impl fmt::Debug for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fields").field("properties", &self.properties).finish_non_exhaustive()
    }
}

impl Fields {
    pub(crate) fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        Self { generator: settings.into_generator(), properties: Map::new(), required: Vec::new(), faults: Vec::new() }
    }

    fn add(
        &mut self,
        name: &'static str,
        description: &'static str,
        mut schema: Schema,
        is_required: bool,
        default: Option<Value>,
        edit: Option<fn(&mut Edit<'_>)>,
    ) {
        if !description.is_empty() {
            schema.insert("description".into(), description.into());
        }
        // An absent option and `null` are one thing to a tool; the schema need not say so.
        if let Some(default) = default.filter(|default| !default.is_null()) {
            schema.insert("default".into(), default);
        }
        if let Some(edit) = edit {
            edit(&mut Edit { name, schema: &mut schema, faults: &mut self.faults });
        }
        if is_required {
            self.required.push(name.into());
        }
        self.properties.insert(name.to_owned(), schema.into());
    }

    /// The schema of the arguments, and what was wrong with the attributes that shaped it.
    pub(crate) fn finish(mut self) -> Result<Value, Vec<String>> {
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        let mut root = json!({ "type": "object", "properties": self.properties });
        if !self.required.is_empty() {
            root["required"] = self.required.into();
        }
        // What can't be inlined: recursive types. Every `$ref` resolves from the root.
        let definitions = self.generator.take_definitions(true);
        if !definitions.is_empty() {
            root["$defs"] = definitions.into();
        }
        Ok(root)
    }
}

/// A property's schema while `#[schemars(..)]` attributes change it.
#[derive(Debug)]
pub struct Edit<'a> {
    name: &'static str,
    schema: &'a mut Schema,
    faults: &'a mut Vec<String>,
}

impl Edit<'_> {
    /// Sets a keyword.
    pub fn set(&mut self, key: &str, value: Value) {
        self.schema.insert(key.to_owned(), value);
    }

    /// `range(min = ..)`: the least number.
    pub fn minimum(&mut self, value: impl Bound) {
        self.bound("range", &[("number", "minimum"), ("integer", "minimum")], value.into());
    }

    /// `range(max = ..)`: the greatest number.
    pub fn maximum(&mut self, value: impl Bound) {
        self.bound("range", &[("number", "maximum"), ("integer", "maximum")], value.into());
    }

    /// `length(min = ..)`: the least number of characters, items or entries.
    pub fn min_length(&mut self, value: impl Bound) {
        let keys = [("string", "minLength"), ("array", "minItems"), ("object", "minProperties")];
        self.bound("length", &keys, value.into());
    }

    /// `length(max = ..)`: the greatest number of characters, items or entries.
    pub fn max_length(&mut self, value: impl Bound) {
        let keys = [("string", "maxLength"), ("array", "maxItems"), ("object", "maxProperties")];
        self.bound("length", &keys, value.into());
    }

    /// `regex(pattern = ..)`: a pattern that the text must match.
    pub fn pattern(&mut self, pattern: impl fmt::Display) {
        self.bound("regex", &[("string", "pattern")], pattern.to_string().into());
    }

    /// `example = ..`: one more example.
    pub fn example(&mut self, value: impl Serialize) {
        let Ok(example) = serde_json::to_value(value) else {
            self.faults.push(format!("`#[schemars(example)]` on parameter `{}` can't be turned into JSON", self.name));
            return;
        };
        match self.schema.get_mut("examples") {
            Some(Value::Array(examples)) => examples.push(example),
            _ => self.set("examples", json!([example])),
        }
    }

    /// Sets the keyword of the first type that the schema has. A bound without effect is a fault: the user
    /// believes that it holds.
    fn bound(&mut self, attribute: &str, keys: &[(&str, &str)], value: Value) {
        match keys.iter().find(|(kind, _)| has_type(self.schema, kind)) {
            Some((_, key)) => self.set(key, value),
            None => self.faults.push(format!(
                "`#[schemars({attribute})]` on parameter `{}` has no effect, the schema of its type takes no such \
                 bound; put it on the field that it belongs to",
                self.name
            )),
        }
    }
}

/// A number that bounds a parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't bound a parameter, a bound in a JSON schema is a number",
    label = "give an integer or a float"
)]
pub trait Bound: Into<Value> {}

macro_rules! bounds {
    ($($number:ty)*) => { $(impl Bound for $number {})* };
}

bounds! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 }

fn has_type(schema: &Schema, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == kind,
        Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
        _ => false,
    }
}

/// The raw values of one call while they are decoded; gathers every misfit.
#[derive(Debug)]
pub struct Slots<'a> {
    values: &'a [Option<&'a str>],
    purpose: Purpose,
    misfits: Vec<Misfit>,
}

/// What the arguments are decoded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Run,
    Check,
}

impl<'a> Slots<'a> {
    pub(crate) fn new(values: &'a [Option<&'a str>], purpose: Purpose) -> Self {
        Self { values, purpose, misfits: Vec::new() }
    }

    fn refuse<T>(&mut self, slot: usize, message: String) -> Option<T> {
        self.misfits.push(Misfit { slot: Some(slot), message });
        None
    }

    /// Whether the tool is to run now: everything was decoded, and for that purpose.
    pub fn is_ready(&self) -> bool {
        self.misfits.is_empty() && self.purpose == Purpose::Run
    }

    pub(crate) fn into_misfits(self) -> Vec<Misfit> {
        self.misfits
    }
}

/// Writes a default into the schema where its type can be serialised; see [`shapes`](crate::shape::shapes).
#[derive(Debug)]
pub struct DefaultProbe<'a, T>(&'a T, PhantomData<T>);

impl<'a, T> DefaultProbe<'a, T> {
    /// Looks at `value`.
    pub fn new(value: &'a T) -> Self {
        Self(value, PhantomData)
    }
}

/// The default of a type that can be serialised.
pub trait BySerialize {
    /// The value as JSON.
    fn __tool_json(&self) -> Option<Value>;
}

impl<T: Serialize> BySerialize for &DefaultProbe<'_, T> {
    fn __tool_json(&self) -> Option<Value> {
        serde_json::to_value(self.0).ok()
    }
}

/// The default of any other type.
pub trait ByNothing {
    /// Nothing.
    fn __tool_json(&self) -> Option<Value>;
}

impl<T> ByNothing for DefaultProbe<'_, T> {
    fn __tool_json(&self) -> Option<Value> {
        None
    }
}
