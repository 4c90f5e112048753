//! Lists and objects that are being written.

use serde::ser::{self, Serialize};

use super::{
    Fault,
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
    /// In a map, whether a key waits for its value; in one of `serde_json`'s own types, whether its one field is
    /// written.
    held: bool,
}

impl<'s, 'w, C> Nest<'s, 'w, C> {
    pub(super) fn new(inner: C, state: &'s State<'w>, brackets: usize, kind: Kind) -> Self {
        Self { inner, state, brackets, kind, held: false }
    }

    fn watched<'t, T: ?Sized>(&self, value: &'t T) -> Watched<'s, 'w, 't, T> {
        Watched { value, state: self.state, kind: self.kind }
    }

    fn fail<E: ser::Error>(&self, message: &str) -> E {
        self.state.fail(Fault::Failed(message.to_owned()))
    }

    /// A field is about to be written.
    fn name_field<E: ser::Error>(&mut self, name: &'static str) -> Result<(), E> {
        match self.kind.own_field() {
            None => self.state.name_key(self.state.key(), name),
            Some((own, _)) if own == name && !self.held => self.held = true,
            Some((_, message)) => return Err(self.fail(message)),
        }
        Ok(())
    }

    /// No more fields.
    fn end_fields<E: ser::Error>(&self) -> Result<(), E> {
        match self.kind.own_field() {
            Some((_, message)) if !self.held => Err(self.fail(message)),
            _ => Ok(()),
        }
    }

    /// A key or a value of a map is about to be written, or its end; `held` says whether a key must be waiting.
    fn turn<E: ser::Error>(&self, held: bool) -> Result<(), E> {
        if self.held != held {
            return Err(self.fail("a map's keys and values do not come in turn"));
        }
        Ok(())
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
                self.name_field(name)?;
                let value = self.watched(value);
                self.inner.serialize_field(name, &value)
            }

            fn skip_field(&mut self, name: &'static str) -> Result<(), C::Error> {
                self.inner.skip_field(name)
            }

            fn end(self) -> Result<C::Ok, C::Error> {
                self.end_fields()?;
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
        self.turn(false)?;
        self.held = true;
        let key = Watched { value: key, state: self.state, kind: Kind::Text(self.state.key()) };
        self.inner.serialize_key(&key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
        self.turn(true)?;
        self.held = false;
        let value = self.watched(value);
        self.inner.serialize_value(&value)
    }

    fn end(self) -> Result<C::Ok, C::Error> {
        self.turn(false)?;
        self.state.leave(self.brackets);
        self.inner.end()
    }
}
