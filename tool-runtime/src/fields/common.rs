//! Schemas of the types that most tools take and return. Made here they are in a program once; made where the tool is, as
//! those of all other types, each crate with tools brings along its own copy of what schemars does inside.

use std::any::TypeId;

use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::MakeSchema;

/// What makes the schema of a type that is common.
pub(crate) struct Common {
    /// Of a parameter.
    pub(crate) part: MakeSchema,
    /// Of a whole result.
    pub(crate) root: MakeSchema,
}

/// The schema of `T` where it is a part of another.
pub(super) fn part_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    // What is inlined at any rate needs none of the generator's code about names and references, which is large.
    if T::inline_schema() { T::json_schema(generator) } else { generator.subschema_for::<T>() }
}

macro_rules! common {
    ($($of:ty),* $(,)?) => {
        /// What makes the schema of `T`, if it is common. Which it is, is known when this is compiled.
        pub(crate) fn common<T: 'static>() -> Option<Common> {
            $(
                if TypeId::of::<T>() == TypeId::of::<$of>() {
                    #[inline(never)]
                    fn part(generator: &mut SchemaGenerator) -> Schema {
                        part_of::<$of>(generator)
                    }
                    #[inline(never)]
                    fn root(generator: &mut SchemaGenerator) -> Schema {
                        generator.root_schema_for::<$of>()
                    }
                    return Some(Common { part, root });
                }
            )*
            None
        }
    };
}

common! {
    (), String, bool, u8, u32, u64, usize, i32, i64, f64,
    Option<String>, Option<bool>, Option<u8>, Option<u32>, Option<u64>, Option<usize>, Option<i32>, Option<i64>,
    Option<f64>, Vec<String>, Option<Vec<String>>, serde_json::Value,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::generator;

    fn agrees<T: JsonSchema + 'static>() -> bool {
        common::<T>().is_some_and(|common| {
            (common.part)(&mut generator()) == generator().subschema_for::<T>()
                && (common.root)(&mut generator()) == generator().root_schema_for::<T>()
        })
    }

    #[test]
    fn a_common_type_has_the_schema_that_schemars_gives_it() {
        assert!(agrees::<String>() && agrees::<()>() && agrees::<f64>() && agrees::<serde_json::Value>());
        assert!(agrees::<Option<u8>>() && agrees::<Vec<String>>() && agrees::<Option<Vec<String>>>());
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
        let mut generator = generator();
        let schema = part_of::<Node>(&mut generator);
        assert_eq!(schema, crate::schema::generator().subschema_for::<Node>());
        assert!(!generator.take_definitions(true).is_empty());
    }
}
