//! Parameters that are passed by reference.

use std::{
    borrow::Borrow,
    path::{Path, PathBuf},
};

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

/// Lends a decoded argument.
pub fn borrow<T: Borrowed + ?Sized>(owned: &T::Owned) -> &T {
    owned.borrow()
}

/// Lends a decoded argument that may be absent.
pub fn borrow_option<T: Borrowed + ?Sized>(owned: &Option<T::Owned>) -> Option<&T> {
    owned.as_ref().map(Borrow::borrow)
}
