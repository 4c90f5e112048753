//! A serializer round `serde_json`'s own that counts depth and offers every string for editing.

use std::{
    cell::Cell,
    fmt::{self, Display, Write},
};

use serde::ser::{Error as _, Serialize, Serializer};

use super::{
    Edit, Fault, Role,
    names::Names,
    nest::Nest,
    raw::{self, Level},
    sink::Sink,
    state::State,
};

pub(super) fn write<T: Serialize + ?Sized>(
    value: &T,
    sink: &mut Sink<'_>,
    state: &State<'_>,
) -> Result<(), serde_json::Error> {
    let mut inner = serde_json::Serializer::with_formatter(sink, Names::new(&state.rename));
    value.serialize(Watch { inner: &mut inner, state, kind: Kind::Text(Role::Value) })
}

/// What a string stands for.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Text(Role),
    /// Inside `serde_json`'s `RawValue`: the string is JSON.
    Raw,
    /// Inside `serde_json`'s `Number`, where somebody turned on `arbitrary_precision`.
    Number,
}

/// `serde_json` tells its own types by these names.
const RAW_VALUE: &str = "$serde_json::private::RawValue";
const NUMBER: &str = "$serde_json::private::Number";

const NO_NUMBER: &str = "a raw JSON number is not a number";

impl Kind {
    /// The name of the one field that `serde_json`'s own types have, and what to say of a value that only claims to
    /// be one of them: whatever it writes would go out as it stands.
    pub(super) fn own_field(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Text(_) => None,
            Self::Raw => Some((RAW_VALUE, raw::NO_JSON)),
            Self::Number => Some((NUMBER, NO_NUMBER)),
        }
    }
}

pub(super) struct Watch<'s, 'w, S> {
    inner: S,
    state: &'s State<'w>,
    kind: Kind,
}

const NO_DISPLAY: &str = "a value's `Display` failed";

/// A value whose `Display` never fails by itself, but says so: `serde_json` takes each failure for its writer's.
struct Displayed<'a, T: ?Sized> {
    value: &'a T,
    failed: &'a Cell<bool>,
}

impl<T: Display + ?Sized> Display for Displayed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut piecewise = Piecewise { to: f, is_broken: false };
        let written = write!(piecewise, "{}", self.value);
        if written.is_err() && !piecewise.is_broken {
            self.failed.set(true);
            return Ok(());
        }
        written
    }
}

/// Knows whether it was the writer that failed.
struct Piecewise<'a, 'f> {
    to: &'a mut fmt::Formatter<'f>,
    is_broken: bool,
}

impl Write for Piecewise<'_, '_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let written = self.to.write_str(piece);
        self.is_broken |= written.is_err();
        written
    }
}

/// A value on its way to the next serializer.
pub(super) struct Watched<'s, 'w, 't, T: ?Sized> {
    pub(super) value: &'t T,
    pub(super) state: &'s State<'w>,
    pub(super) kind: Kind,
}

impl<T: Serialize + ?Sized> Serialize for Watched<'_, '_, '_, T> {
    fn serialize<S: Serializer>(&self, inner: S) -> Result<S::Ok, S::Error> {
        let written = self.value.serialize(Watch { inner, state: self.state, kind: self.kind });
        // Whoever asked for it may swallow the error, but half a value has been written.
        if let Err(error) = &written {
            self.state.note(error);
        }
        written
    }
}

impl<'s, 'w, S: Serializer> Watch<'s, 'w, S> {
    fn nest<C>(
        self,
        brackets: usize,
        open: impl FnOnce(S) -> Result<C, S::Error>,
    ) -> Result<Nest<'s, 'w, C>, S::Error> {
        self.state.enter(brackets)?;
        Ok(Nest::new(open(self.inner)?, self.state, brackets, Kind::Text(Role::Value)))
    }

    /// For what holds one value and has no end to call: newtypes and `Some`.
    fn wrap<T: Serialize + ?Sized>(
        self,
        brackets: usize,
        value: &T,
        write: impl FnOnce(S, &Watched<'s, 'w, '_, T>) -> Result<S::Ok, S::Error>,
    ) -> Result<S::Ok, S::Error> {
        let Self { inner, state, kind } = self;
        state.enter(brackets)?;
        let written = write(inner, &Watched { value, state, kind })?;
        state.leave(brackets);
        Ok(written)
    }

    fn float<V>(
        self,
        is_finite: bool,
        value: V,
        write: impl FnOnce(S, V) -> Result<S::Ok, S::Error>,
    ) -> Result<S::Ok, S::Error> {
        if !is_finite {
            self.state.count_non_finite();
        }
        write(self.inner, value)
    }
}

macro_rules! unchanged {
    ($($method:ident: $type:ty),* $(,)?) => {
        $(fn $method(self, value: $type) -> Result<S::Ok, S::Error> {
            self.inner.$method(value)
        })*
    };
}

impl<'s, 'w, S: Serializer> Serializer for Watch<'s, 'w, S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Nest<'s, 'w, S::SerializeSeq>;
    type SerializeTuple = Nest<'s, 'w, S::SerializeTuple>;
    type SerializeTupleStruct = Nest<'s, 'w, S::SerializeTupleStruct>;
    type SerializeTupleVariant = Nest<'s, 'w, S::SerializeTupleVariant>;
    type SerializeMap = Nest<'s, 'w, S::SerializeMap>;
    type SerializeStruct = Nest<'s, 'w, S::SerializeStruct>;
    type SerializeStructVariant = Nest<'s, 'w, S::SerializeStructVariant>;

    unchanged! {
        serialize_bool: bool, serialize_bytes: &[u8],
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128,
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }

    fn serialize_f32(self, value: f32) -> Result<S::Ok, S::Error> {
        self.float(value.is_finite(), value, S::serialize_f32)
    }

    fn serialize_f64(self, value: f64) -> Result<S::Ok, S::Error> {
        self.float(value.is_finite(), value, S::serialize_f64)
    }

    fn serialize_char(self, value: char) -> Result<S::Ok, S::Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<S::Ok, S::Error> {
        let Self { inner, state, kind } = self;
        match kind {
            Kind::Text(role) => inner.serialize_str(&state.edited(role, text)),
            Kind::Raw => {
                let mut edit = state.edit.borrow_mut();
                let edit = edit.as_mut().map(|edit| &mut **edit as Edit<'_>);
                match raw::embedded(text, Level::inside(state.depth.get(), state.level.get() == 0), edit) {
                    Ok(json) => inner.serialize_str(&json),
                    Err(fault) => Err(state.fail(fault)),
                }
            }
            Kind::Number if raw::is_number(text) => inner.serialize_str(text),
            Kind::Number => Err(state.fail(Fault::Failed(NO_NUMBER.to_owned()))),
        }
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        if matches!(self.kind, Kind::Text(_)) && !self.state.edits() {
            let failed = Cell::new(false);
            let written = self.inner.collect_str(&Displayed { value, failed: &failed })?;
            return if failed.get() { Err(S::Error::custom(NO_DISPLAY)) } else { Ok(written) };
        }
        let mut text = String::new();
        write!(text, "{value}").map_err(|_| S::Error::custom(NO_DISPLAY))?;
        self.serialize_str(&text)
    }

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_none()
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit()
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit_struct(name)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<S::Ok, S::Error> {
        self.serialize_str(variant)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.wrap(0, value, |inner, value| inner.serialize_some(value))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<S::Ok, S::Error> {
        self.wrap(0, value, |inner, value| inner.serialize_newtype_struct(name, value))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let state = self.state;
        self.wrap(1, value, |inner, value| {
            state.name_key(state.key(), variant);
            inner.serialize_newtype_variant(name, index, variant, value)
        })
    }

    // `serde_json` closes at once what is announced as empty, and what comes all the same would stand behind the
    // bracket. So nothing is ever announced as empty.

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        self.nest(1, |inner| inner.serialize_seq(None))
    }

    fn serialize_tuple(self, length: usize) -> Result<Self::SerializeTuple, S::Error> {
        self.nest(1, |inner| inner.serialize_tuple(length.max(1)))
    }

    fn serialize_tuple_struct(self, name: &'static str, length: usize) -> Result<Self::SerializeTupleStruct, S::Error> {
        self.nest(1, |inner| inner.serialize_tuple_struct(name, length.max(1)))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Self::SerializeTupleVariant, S::Error> {
        self.state.name_variant(variant);
        self.nest(2, |inner| inner.serialize_tuple_variant(name, index, variant, length.max(1)))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        self.nest(1, |inner| inner.serialize_map(None))
    }

    fn serialize_struct(self, name: &'static str, length: usize) -> Result<Self::SerializeStruct, S::Error> {
        // Brackets of `serde_json`'s own types are never written.
        let (brackets, kind) = match name {
            RAW_VALUE => (0, Kind::Raw),
            NUMBER => (0, Kind::Number),
            _ => (1, Kind::Text(Role::Value)),
        };
        let mut nest = self.nest(brackets, |inner| inner.serialize_struct(name, length.max(1)))?;
        nest.kind = kind;
        Ok(nest)
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Self::SerializeStructVariant, S::Error> {
        self.state.name_variant(variant);
        self.nest(2, |inner| inner.serialize_struct_variant(name, index, variant, length.max(1)))
    }
}
