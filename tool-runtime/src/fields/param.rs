//! One parameter, as the macro writes it.

use std::fmt;

use schemars::{JsonSchema, Schema};
use serde::{
    Deserializer,
    de::{DeserializeOwned, Error as _, Visitor, value::Error as Plain},
};
use serde_json::Value;

use super::{
    Edit, Fields, MakeSchema, Slots,
    common::{common, part_of},
};
use crate::{contain, schema::Generator};

/// What a type must be to be the parameter of a tool.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a parameter of a tool, it has to be read from JSON and to have a JSON schema",
    label = "derive `serde::Deserialize` and `schemars::JsonSchema` on it, or on the type inside it; it also has to be `Send`",
    note = "what the registry gives and not the model, as shared state or `&CallContext`, is lent: write `#[inject] name: &T`"
)]
pub trait ToolParam: DeserializeOwned + JsonSchema + Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send + 'static> ToolParam for T {}

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
pub trait ParamSchema: JsonSchema + 'static {}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema + 'static> ParamSchema for T {}

/// A value for a parameter that the call left out.
struct Fallback<T> {
    value: fn() -> T,
    json: fn(&T) -> Option<Value>,
}

/// One parameter of a tool.
pub struct Param<T> {
    description: &'static str,
    schema: MakeSchema,
    decode: fn(&str) -> Result<T, String>,
    missing: fn() -> Option<T>,
    default: Option<Fallback<T>>,
    edit: Option<fn(&mut Edit<'_>)>,
    check: Option<Check<T>>,
}

/// Looks at a value that was decoded; the message says what is wrong with it.
pub type Check<T> = fn(&T) -> Result<(), String>;

impl<T> Param<T> {
    /// A parameter that is all its type says. The bound is here and nowhere else, so that a type without it is one error.
    #[expect(clippy::new_without_default, reason = "written by the macro only")]
    pub const fn new() -> Self
    where
        T: ToolParam,
    {
        Self::from_parts(schema_of::<T>, decode::<T>, missing::<T>)
    }

    /// A parameter whose schema or decoding is not its type's own.
    pub const fn from_parts(
        schema: MakeSchema,
        decode: fn(&str) -> Result<T, String>,
        missing: fn() -> Option<T>,
    ) -> Self {
        Self { description: "", schema, decode, missing, default: None, edit: None, check: None }
    }

    /// What the model is told about it.
    #[must_use]
    pub const fn description(mut self, description: &'static str) -> Self {
        self.description = description;
        self
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

    /// Rules that the value has to keep.
    #[must_use]
    pub const fn check(mut self, check: Check<T>) -> Self {
        self.check = Some(check);
        self
    }

    /// The value of slot `index`; where there is none, `slots` knows why.
    // Not inside the functions of whole lists: of these there are many, of types few.
    #[inline(never)]
    pub fn take(&self, slots: &mut Slots<'_>, index: usize) -> Option<T> {
        match slots.get(index) {
            Some(text) => match (self.decode)(text).and_then(|value| self.checked(value)) {
                Ok(value) => Some(value),
                Err(message) => {
                    slots.refuse(index, message);
                    None
                }
            },
            None => {
                let value = self.default.as_ref().map_or_else(self.missing, |default| Some((default.value)()));
                if value.is_none() {
                    slots.refuse_missing(index);
                }
                value
            }
        }
    }

    /// Adds the parameter to the tool's schema as the property `name`.
    #[inline(never)]
    pub(super) fn describe(&self, name: &'static str, fields: &mut Fields) {
        let schema = (self.schema)(&mut fields.generator);
        let (mut default, mut is_required) = (None, self.default.is_none());
        carefully(&mut || match &self.default {
            Some(own) => default = (own.json)(&(own.value)()),
            None => is_required = (self.missing)().is_none(),
        });
        fields.add(name, self.description, schema, is_required, default, self.edit);
    }

    fn checked(&self, value: T) -> Result<T, String> {
        match self.check {
            Some(check) => check(&value).map(|()| value),
            None => Ok(value),
        }
    }
}

impl<T> fmt::Debug for Param<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Param").field("description", &self.description).finish_non_exhaustive()
    }
}

/// Asks the user's code about what it would give. Should it panic, a call tells what about: a program with other tools
/// starts all the same. One function for all types.
fn carefully(ask: &mut dyn FnMut()) {
    let _ = contain::call(ask);
}

/// The schema of `T`, inlined as far as it is not recursive.
pub fn schema_of<T: ParamSchema>(generator: &mut Generator) -> Schema {
    match common::<T>() {
        Some(common) => common.part(),
        None => part_of::<T>(generator),
    }
}

/// Decodes as `T`'s own `Deserialize` does.
pub fn decode<T: ParamValue>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| told(&error))
}

/// One function for all types.
#[cold]
fn told(error: &serde_json::Error) -> String {
    error.to_string()
}

/// Decodes with a function like those in `#[serde(deserialize_with = "..")]`.
pub fn decode_with<'de, T>(
    text: &'de str,
    with: impl FnOnce(&mut serde_json::Deserializer<serde_json::de::StrRead<'de>>) -> Result<T, serde_json::Error>,
) -> Result<T, String> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = with(&mut reader).map_err(|error| told(&error))?;
    reader.end().map_err(|error| told(&error))?;
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
