//! All parameters of one tool. Tools that take the same types share the code below.

use super::{Fields, Param, Slots};

/// The parameters of one tool, each with its name and then its aliases.
#[derive(Debug)]
pub struct Signature<P> {
    /// In the order of the parameters.
    pub names: &'static [&'static [&'static str]],
    /// `(first, (second, ()))`.
    pub params: P,
}

/// A list of parameters: `()`, or a parameter and the list of the rest.
pub trait Params {
    /// The arguments, as such a list.
    type Values;
    /// The values of the slots from `index` on. Every one is decoded before a misfit ends the call, so that all are known.
    fn take(&self, slots: &mut Slots<'_>, index: usize) -> Option<Self::Values>;
    /// Adds each to the tool's schema.
    fn describe(&self, names: &[&'static [&'static str]], fields: &mut Fields);
}

impl Params for () {
    type Values = ();
    fn take(&self, _slots: &mut Slots<'_>, _index: usize) -> Option<()> {
        Some(())
    }
    fn describe(&self, _names: &[&'static [&'static str]], _fields: &mut Fields) {}
}

impl<T, P: Params> Params for (Param<T>, P) {
    type Values = (T, P::Values);
    #[inline]
    fn take(&self, slots: &mut Slots<'_>, index: usize) -> Option<Self::Values> {
        let (first, rest) = (self.0.take(slots, index), self.1.take(slots, index + 1));
        Some((first?, rest?))
    }
    fn describe(&self, names: &[&'static [&'static str]], fields: &mut Fields) {
        if let [[name, ..], rest @ ..] = names {
            self.0.describe(name, fields);
            self.1.describe(rest, fields);
        }
    }
}
