//! What a walk has to remember, shared by its serializers.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
};

use serde::ser;

use super::{Edit, Fault, MAX_DEPTH, Role};

pub(super) struct State<'w> {
    pub(super) edit: RefCell<Option<Edit<'w>>>,
    /// Calls of `Serialize` inside each other; never less than the brackets that are open.
    pub(super) depth: Cell<usize>,
    /// Brackets that are open.
    pub(super) level: Cell<usize>,
    non_finite: Cell<usize>,
    fault: Cell<Option<Fault>>,
    /// What the first error said that came back from a value.
    error: RefCell<Option<String>>,
    /// Replaces the next string that is written.
    pub(super) rename: Cell<Option<String>>,
}

impl<'w> State<'w> {
    pub(super) fn new(edit: Option<Edit<'w>>) -> Self {
        Self {
            edit: RefCell::new(edit),
            depth: Cell::new(0),
            level: Cell::new(0),
            non_finite: Cell::new(0),
            fault: Cell::new(None),
            error: RefCell::new(None),
            rename: Cell::new(None),
        }
    }

    pub(super) fn non_finite(&self) -> usize {
        self.non_finite.get()
    }

    pub(super) fn count_non_finite(&self) {
        self.non_finite.set(self.non_finite.get() + 1);
    }

    pub(super) fn take_fault(&self) -> Option<Fault> {
        self.fault.take()
    }

    /// An error is on its way to a `Serialize` that may swallow it.
    pub(super) fn note(&self, error: &impl ser::Error) {
        self.error.borrow_mut().get_or_insert_with(|| error.to_string());
    }

    pub(super) fn take_error(&self) -> Option<String> {
        self.error.take()
    }

    pub(super) fn edits(&self) -> bool {
        self.edit.borrow().is_some()
    }

    pub(super) fn edited<'t>(&self, role: Role, text: &'t str) -> Cow<'t, str> {
        match &mut *self.edit.borrow_mut() {
            Some(edit) => edit(role, text),
            None => Cow::Borrowed(text),
        }
    }

    /// One step deeper, into `brackets` more brackets.
    pub(super) fn enter<E: ser::Error>(&self, brackets: usize) -> Result<(), E> {
        let depth = self.depth.get() + brackets.max(1);
        if depth > MAX_DEPTH {
            return Err(self.fail(Fault::TooDeep));
        }
        self.depth.set(depth);
        self.level.set(self.level.get() + brackets);
        Ok(())
    }

    pub(super) fn leave(&self, brackets: usize) {
        self.depth.set(self.depth.get().saturating_sub(brackets.max(1)));
        self.level.set(self.level.get().saturating_sub(brackets));
    }

    pub(super) fn fail<E: ser::Error>(&self, fault: Fault) -> E {
        self.fault.set(Some(fault));
        E::custom("the walk has ended")
    }

    pub(super) fn key(&self) -> Role {
        Role::Key { top: self.level.get() == 1 }
    }

    /// Prepares the key that `serde_json` is about to write from a `&'static str`.
    pub(super) fn name_key(&self, role: Role, name: &'static str) {
        let edited = self.edited(role, name);
        if *edited != *name {
            self.rename.set(Some(edited.into_owned()));
        }
    }

    /// The same for a variant whose brackets are not open yet.
    pub(super) fn name_variant(&self, variant: &'static str) {
        self.name_key(Role::Key { top: self.level.get() == 0 }, variant);
    }
}
