//! All parameters of one tool. Tools that take the same types share the code below.

use super::{Fields, Param, Slots};

/// The parameters of one tool, each with its name and then its aliases.
#[derive(Debug)]
pub struct Signature<P> {
    /// In the order of the parameters.
    pub names: &'static [&'static [&'static str]],
    /// `(first, second)`, see [`Params`].
    pub params: P,
}

/// A list of parameters: a tuple of at most six, and where there are more, of the list of the rest.
pub trait Params {
    /// The arguments, as such a list.
    type Values;
    /// The values of the slots from `index` on. Every one is decoded before a misfit ends the call, so that all are known.
    fn take(&self, slots: &mut Slots<'_>, index: usize) -> Option<Self::Values>;
    /// Adds each to the tool's schema.
    fn describe(&self, names: &[&'static [&'static str]], fields: &mut Fields);
}

// One level for most tools: a list in a list in a list is read by the compiler once per level.
macro_rules! params {
    ($($at:tt $value:ident),* $(; $end:tt $rest:ident)?) => {
        impl<$($value,)* $($rest: Params)?> Params for ($(Param<$value>,)* $($rest,)?) {
            type Values = ($($value,)* $($rest::Values,)?);
            #[inline]
            #[allow(clippy::identity_op, reason = "the first of them adds nothing")]
            fn take(&self, slots: &mut Slots<'_>, index: usize) -> Option<Self::Values> {
                let values = ($(self.$at.take(slots, index + $at),)* $(self.$end.take(slots, index + $end),)?);
                Some(($(values.$at?,)* $(values.$end?,)?))
            }
            fn describe(&self, names: &[&'static [&'static str]], fields: &mut Fields) {
                $(if let Some([name, ..]) = names.get($at) { self.$at.describe(name, fields); })*
                $(self.$end.describe(names.get($end..).unwrap_or_default(), fields);)?
            }
        }
    };
}

impl Params for () {
    type Values = ();
    fn take(&self, _slots: &mut Slots<'_>, _index: usize) -> Option<()> {
        Some(())
    }
    fn describe(&self, _names: &[&'static [&'static str]], _fields: &mut Fields) {}
}

params!(0 A);
params!(0 A, 1 B);
params!(0 A, 1 B, 2 C);
params!(0 A, 1 B, 2 C, 3 D);
params!(0 A, 1 B, 2 C, 3 D, 4 E);
params!(0 A, 1 B, 2 C, 3 D, 4 E, 5 F);
params!(0 A, 1 B, 2 C, 3 D, 4 E, 5 F; 6 Rest);
