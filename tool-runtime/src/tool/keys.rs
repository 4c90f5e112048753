//! Which keys a struct takes, asked of its type before there is a value: a decoder that stops at the first wrong value,
//! or at a key that it refuses, has not seen the others.

use std::fmt;

use serde::{
    Deserialize,
    de::{self, Deserializer, Visitor},
};

/// The keys that `T` takes, aliases among them; `None` where it does not read a struct's fields.
pub(super) fn taken<'de, T: Deserialize<'de>>() -> Option<&'static [&'static str]> {
    let mut keys = None;
    // Nothing is there to be decoded, so it never succeeds.
    let _: Result<T, Nothing> = T::deserialize(Ask(&mut keys));
    keys
}

/// Notes what a struct asks for, and gives nothing.
struct Ask<'k>(&'k mut Option<&'static [&'static str]>);

impl<'de> Deserializer<'de> for Ask<'_> {
    type Error = Nothing;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Nothing> {
        Err(Nothing)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Nothing> {
        *self.0 = Some(fields);
        Err(Nothing)
    }

    /// What stands round a struct takes what that takes.
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Nothing> {
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// There is no value.
#[derive(Debug)]
struct Nothing;

impl fmt::Display for Nothing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no value")
    }
}

impl std::error::Error for Nothing {}

impl de::Error for Nothing {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

#[cfg(test)]
#[allow(dead_code)]
mod tests {
    use std::collections::HashMap;

    use serde::Deserialize;

    use super::taken;

    #[derive(Deserialize)]
    struct Trip {
        #[serde(alias = "town")]
        city: String,
        #[serde(rename = "for")]
        days: u8,
        #[serde(skip)]
        seen: bool,
    }

    #[derive(Deserialize)]
    struct Wrapped(Trip);

    #[derive(Deserialize)]
    #[serde(try_from = "Trip")]
    struct Checked;

    impl TryFrom<Trip> for Checked {
        type Error = String;
        fn try_from(_: Trip) -> Result<Self, String> {
            Ok(Self)
        }
    }

    #[derive(Deserialize)]
    struct Flat {
        n: u8,
        #[serde(flatten)]
        rest: HashMap<String, u8>,
    }

    #[test]
    fn a_struct_says_its_keys_and_nothing_else_does() {
        let mut keys = taken::<Trip>().map(<[_]>::to_vec);
        if let Some(keys) = &mut keys {
            keys.sort_unstable();
        }
        assert_eq!(keys, Some(vec!["city", "for", "town"]));
        assert_eq!(taken::<Wrapped>(), taken::<Trip>());
        assert_eq!(taken::<Checked>(), taken::<Trip>());
        assert_eq!(taken::<Box<Trip>>(), taken::<Trip>());
        assert_eq!(taken::<Flat>(), None);
        assert_eq!(taken::<HashMap<String, u8>>(), None);
        assert_eq!(taken::<u8>(), None);
    }
}
