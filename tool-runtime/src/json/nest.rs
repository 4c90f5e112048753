//! Lists and objects that are being written.

use serde::ser::{self, Serialize};

use super::{
    state::State,
    watch::{Kind, Watched},
};

/// A list or an object that is being written.
pub(super) struct Nest<'s, 'w, C> {
    pub(super) inner: C,
    pub(super) state: &'s State<'w>,
    /// How many are closed at its end.
    pub(super) brackets: usize,
    /// What its values are.
    pub(super) kind: Kind,
}

impl<'s, 'w, C> Nest<'s, 'w, C> {
    fn watched<'t, T: ?Sized>(&self, value: &'t T) -> Watched<'s, 'w, 't, T> {
        Watched { value, state: self.state, kind: self.kind }
    }

    /// For fields, whose names `serde_json` checks itself inside its own types.
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
