//! Schemas of the types that most tools take and return, as text: a program whose tools take no others contains neither
//! schemars' generator nor a copy of what schemars does for each of them. A test holds each to schemars.

use std::any::TypeId;

use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::schema::Generator;

/// A type that is common.
pub(crate) struct Common {
    /// What schemars calls it.
    name: &'static str,
    schema: &'static str,
}

impl Common {
    /// The schema where it is a part of another.
    pub(crate) fn part(&self) -> Schema {
        let schema = serde_json::from_str::<Value>(self.schema).ok().and_then(|schema| schema.try_into().ok());
        // Never, a test reads them all; and the empty schema takes everything.
        schema.unwrap_or_default()
    }

    /// The schema of a whole result.
    pub(crate) fn root(&self) -> Schema {
        let mut root = self.part();
        root.insert("title".into(), self.name.into());
        root
    }
}

/// The schema of `T` where it is a part of another.
pub(super) fn part_of<T: JsonSchema>(generator: &mut Generator) -> Schema {
    // What is inlined at any rate needs none of the generator's code about names and references, which is large.
    if T::inline_schema() { T::json_schema(generator.get()) } else { generator.get().subschema_for::<T>() }
}

macro_rules! common {
    ($($of:ty: $name:literal $schema:literal)*) => {
        /// What is known of `T`, if it is common. Whether it is, is known when this is compiled.
        pub(crate) fn common<T: 'static>() -> Option<&'static Common> {
            $(
                if TypeId::of::<T>() == TypeId::of::<$of>() {
                    return Some(&Common { name: $name, schema: $schema });
                }
            )*
            None
        }

        #[cfg(test)]
        fn for_each(mut look: impl FnMut(&str, Option<&Common>, fn(&mut schemars::SchemaGenerator) -> [Schema; 2])) {
            $(
                look($name, common::<$of>(), |generator| {
                    [generator.subschema_for::<$of>(), generator.root_schema_for::<$of>()]
                });
            )*
        }
    };
}

common! {
    (): "null" r#"{"type":"null"}"#
    String: "string" r#"{"type":"string"}"#
    bool: "boolean" r#"{"type":"boolean"}"#
    u8: "uint8" r#"{"type":"integer","format":"uint8","minimum":0,"maximum":255}"#
    u16: "uint16" r#"{"type":"integer","format":"uint16","minimum":0,"maximum":65535}"#
    u32: "uint32" r#"{"type":"integer","format":"uint32","minimum":0}"#
    u64: "uint64" r#"{"type":"integer","format":"uint64","minimum":0}"#
    usize: "uint" r#"{"type":"integer","format":"uint","minimum":0}"#
    i32: "int32" r#"{"type":"integer","format":"int32"}"#
    i64: "int64" r#"{"type":"integer","format":"int64"}"#
    f32: "float" r#"{"type":"number","format":"float"}"#
    f64: "double" r#"{"type":"number","format":"double"}"#
    Vec<String>: "Array_of_string" r#"{"type":"array","items":{"type":"string"}}"#
    Value: "AnyValue" "true"
    Option<String>: "Nullable_string" r#"{"type":["string","null"]}"#
    Option<bool>: "Nullable_boolean" r#"{"type":["boolean","null"]}"#
    Option<u8>: "Nullable_uint8" r#"{"type":["integer","null"],"format":"uint8","minimum":0,"maximum":255}"#
    Option<u16>: "Nullable_uint16" r#"{"type":["integer","null"],"format":"uint16","minimum":0,"maximum":65535}"#
    Option<u32>: "Nullable_uint32" r#"{"type":["integer","null"],"format":"uint32","minimum":0}"#
    Option<u64>: "Nullable_uint64" r#"{"type":["integer","null"],"format":"uint64","minimum":0}"#
    Option<usize>: "Nullable_uint" r#"{"type":["integer","null"],"format":"uint","minimum":0}"#
    Option<i32>: "Nullable_int32" r#"{"type":["integer","null"],"format":"int32"}"#
    Option<i64>: "Nullable_int64" r#"{"type":["integer","null"],"format":"int64"}"#
    Option<f32>: "Nullable_float" r#"{"type":["number","null"],"format":"float"}"#
    Option<f64>: "Nullable_double" r#"{"type":["number","null"],"format":"double"}"#
    Option<Vec<String>>: "Nullable_Array_of_string" r#"{"type":["array","null"],"items":{"type":"string"}}"#
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_type_has_the_schema_that_schemars_gives_it() {
        let mut seen = 0;
        for_each(|name, common, schemars| {
            let common = common.map(|common| [common.part(), common.root()].map(|schema| text(&schema)));
            // The order of keywords counts too.
            for mut generator in [Generator::of_arguments(), Generator::of_results()] {
                let expected = schemars(generator.get()).map(|schema| text(&schema));
                assert_eq!(common.as_ref(), Some(&expected), "{name}");
            }
            seen += 1;
        });
        assert!(seen > 20);
    }

    fn text(schema: &Schema) -> String {
        schema.as_value().to_string()
    }

    #[test]
    fn other_types_are_not_taken_for_common_ones() {
        assert!(common::<&'static str>().is_none() && common::<Vec<u8>>().is_none() && common::<Box<str>>().is_none());
    }

    #[test]
    fn what_contains_itself_is_referred_to() {
        #[derive(JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Node {
            next: Option<Box<Node>>,
        }
        let mut generator = Generator::of_arguments();
        let schema = part_of::<Node>(&mut generator);
        assert_eq!(schema, Generator::of_arguments().get().subschema_for::<Node>());
        assert!(!generator.definitions().is_empty());
    }
}
