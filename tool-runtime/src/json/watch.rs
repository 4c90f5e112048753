//! A serializer round serde_json's own that counts depth and offers every string for editing.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    fmt::{Display, Write},
};

use serde::ser::{self, Error as _, Serialize, Serializer};

use super::{
    Edit, Fault, MAX_DEPTH, Role,
    names::Names,
    raw::{self, Level},
    sink::Sink,
};

/// What a walk has to remember, shared by its serializers.
pub(super) struct State<'w> {
    edit: RefCell<Option<Edit<'w>>>,
    /// Calls of `Serialize` inside each other; never less than the brackets that are open.
    depth: Cell<usize>,
    /// Brackets that are open.
    level: Cell<usize>,
    non_finite: Cell<usize>,
    fault: Cell<Option<Fault>>,
    rename: Cell<Option<String>>,
}

pub(super) fn write<T: Serialize + ?Sized>(
    value: &T,
    sink: &mut Sink<'_>,
    state: &State<'_>,
) -> Result<(), serde_json::Error> {
    let mut inner = serde_json::Serializer::with_formatter(sink, Names::new(&state.rename));
    value.serialize(Watch { inner: &mut inner, state, kind: Kind::Text(Role::Value) })
}

impl<'w> State<'w> {
    pub(super) fn new(edit: Option<Edit<'w>>) -> Self {
        Self {
            edit: RefCell::new(edit),
            depth: Cell::new(0),
            level: Cell::new(0),
            non_finite: Cell::new(0),
            fault: Cell::new(None),
            rename: Cell::new(None),
        }
    }

    pub(super) fn non_finite(&self) -> usize {
        self.non_finite.get()
    }

    pub(super) fn take_fault(&self) -> Option<Fault> {
        self.fault.take()
    }

    fn edits(&self) -> bool {
        self.edit.borrow().is_some()
    }

    fn edited<'t>(&self, role: Role, text: &'t str) -> Cow<'t, str> {
        match &mut *self.edit.borrow_mut() {
            Some(edit) => edit(role, text),
            None => Cow::Borrowed(text),
        }
    }

    /// One step deeper, into `brackets` more brackets.
    fn enter<E: ser::Error>(&self, brackets: usize) -> Result<(), E> {
        let depth = self.depth.get() + brackets.max(1);
        if depth > MAX_DEPTH {
            return Err(self.fail(Fault::TooDeep));
        }
        self.depth.set(depth);
        self.level.set(self.level.get() + brackets);
        Ok(())
    }

    fn leave(&self, brackets: usize) {
        self.depth.set(self.depth.get().saturating_sub(brackets.max(1)));
        self.level.set(self.level.get().saturating_sub(brackets));
    }

    fn fail<E: ser::Error>(&self, fault: Fault) -> E {
        self.fault.set(Some(fault));
        E::custom("the walk has ended")
    }

    fn key(&self) -> Role {
        Role::Key { top: self.level.get() == 1 }
    }

    /// Prepares the key that serde_json is about to write from a `&'static str`.
    fn name_key(&self, role: Role, name: &'static str) {
        let edited = self.edited(role, name);
        if *edited != *name {
            self.rename.set(Some(edited.into_owned()));
        }
    }

    /// The same for a variant whose brackets are not open yet.
    fn name_variant(&self, variant: &'static str) {
        self.name_key(Role::Key { top: self.level.get() == 0 }, variant);
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Text(Role),
    /// Inside serde_json's `RawValue`: the string is JSON.
    Raw,
    /// Inside serde_json's `Number`, where somebody turned on `arbitrary_precision`.
    Number,
}

/// serde_json tells its own types by these names.
const RAW_VALUE: &str = "$serde_json::private::RawValue";
const NUMBER: &str = "$serde_json::private::Number";

struct Watch<'s, 'w, S> {
    inner: S,
    state: &'s State<'w>,
    kind: Kind,
}

/// A value on its way to the next serializer.
struct Watched<'s, 'w, 't, T: ?Sized> {
    value: &'t T,
    state: &'s State<'w>,
    kind: Kind,
}

impl<T: Serialize + ?Sized> Serialize for Watched<'_, '_, '_, T> {
    fn serialize<S: Serializer>(&self, inner: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(Watch { inner, state: self.state, kind: self.kind })
    }
}

impl<'s, 'w, S: Serializer> Watch<'s, 'w, S> {
    fn nest<C>(
        self,
        brackets: usize,
        open: impl FnOnce(S) -> Result<C, S::Error>,
    ) -> Result<Nest<'s, 'w, C>, S::Error> {
        self.state.enter(brackets)?;
        Ok(Nest { inner: open(self.inner)?, state: self.state, brackets, kind: Kind::Text(Role::Value) })
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
            self.state.non_finite.set(self.state.non_finite.get() + 1);
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
            Kind::Number if text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) => {
                inner.serialize_str(text)
            }
            Kind::Number => inner.serialize_str(&state.edited(Role::Value, text)),
        }
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        if matches!(self.kind, Kind::Text(_)) && !self.state.edits() {
            return self.inner.collect_str(value);
        }
        let mut text = String::new();
        write!(text, "{value}").map_err(|_| S::Error::custom("a value's `Display` failed"))?;
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

    fn serialize_seq(self, length: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        self.nest(1, |inner| inner.serialize_seq(length))
    }

    fn serialize_tuple(self, length: usize) -> Result<Self::SerializeTuple, S::Error> {
        self.nest(1, |inner| inner.serialize_tuple(length))
    }

    fn serialize_tuple_struct(self, name: &'static str, length: usize) -> Result<Self::SerializeTupleStruct, S::Error> {
        self.nest(1, |inner| inner.serialize_tuple_struct(name, length))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Self::SerializeTupleVariant, S::Error> {
        self.state.name_variant(variant);
        self.nest(2, |inner| inner.serialize_tuple_variant(name, index, variant, length))
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        self.nest(1, |inner| inner.serialize_map(length))
    }

    fn serialize_struct(self, name: &'static str, length: usize) -> Result<Self::SerializeStruct, S::Error> {
        // Brackets of serde_json's own types are never written.
        let (brackets, kind) = match name {
            RAW_VALUE => (0, Kind::Raw),
            NUMBER => (0, Kind::Number),
            _ => (1, Kind::Text(Role::Value)),
        };
        let nest = self.nest(brackets, |inner| inner.serialize_struct(name, length))?;
        Ok(Nest { kind, ..nest })
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Self::SerializeStructVariant, S::Error> {
        self.state.name_variant(variant);
        self.nest(2, |inner| inner.serialize_struct_variant(name, index, variant, length))
    }
}

/// A list or an object that is being written.
struct Nest<'s, 'w, C> {
    inner: C,
    state: &'s State<'w>,
    brackets: usize,
    /// What its values are.
    kind: Kind,
}

impl<'s, 'w, C> Nest<'s, 'w, C> {
    fn watched<'t, T: ?Sized>(&self, value: &'t T) -> Watched<'s, 'w, 't, T> {
        Watched { value, state: self.state, kind: self.kind }
    }

    /// For fields, whose names serde_json checks itself inside its own types.
    fn name_field(&self, name: &'static str) {
        if matches!(self.kind, Kind::Text(_)) {
            self.state.name_key(self.state.key(), name);
        }
    }
}

macro_rules! list {
    ($($nest:ident: $method:ident),* $(,)?) => {
        $(impl<C: ser::$nest> ser::$nest for Nest<'_, '_, C> {
            type Ok = C::Ok;
            type Error = C::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
                let value = self.watched(value);
                self.inner.$method(&value)
            }

            fn end(self) -> Result<C::Ok, C::Error> {
                self.state.leave(self.brackets);
                self.inner.end()
            }
        })*
    };
}

list! {
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field,
}

macro_rules! fields {
    ($($nest:ident),* $(,)?) => {
        $(impl<C: ser::$nest> ser::$nest for Nest<'_, '_, C> {
            type Ok = C::Ok;
            type Error = C::Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), C::Error> {
                self.name_field(name);
                let value = self.watched(value);
                self.inner.serialize_field(name, &value)
            }

            fn skip_field(&mut self, name: &'static str) -> Result<(), C::Error> {
                self.inner.skip_field(name)
            }

            fn end(self) -> Result<C::Ok, C::Error> {
                self.state.leave(self.brackets);
                self.inner.end()
            }
        })*
    };
}

fields! { SerializeStruct, SerializeStructVariant }

impl<C: ser::SerializeMap> ser::SerializeMap for Nest<'_, '_, C> {
    type Ok = C::Ok;
    type Error = C::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), C::Error> {
        let key = Watched { value: key, state: self.state, kind: Kind::Text(self.state.key()) };
        self.inner.serialize_key(&key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
        let value = self.watched(value);
        self.inner.serialize_value(&value)
    }

    fn end(self) -> Result<C::Ok, C::Error> {
        self.state.leave(self.brackets);
        self.inner.end()
    }
}
