//! The values of one call, between the scan and the function.

use schemars::{Schema, SchemaGenerator};

use crate::request::Misfit;

/// The raw values of one call while they are decoded; gathers every misfit.
#[derive(Debug)]
pub struct Slots<'a> {
    values: &'a [Option<&'a str>],
    purpose: Purpose,
    misfits: Vec<Misfit>,
    returns: Option<MakeSchema>,
}

/// Makes the schema of one type.
pub type MakeSchema = fn(&mut SchemaGenerator) -> Schema;

/// What the arguments are decoded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Run,
    Check,
}

impl<'a> Slots<'a> {
    pub(crate) fn new(values: &'a [Option<&'a str>], purpose: Purpose) -> Self {
        Self { values, purpose, misfits: Vec::new(), returns: None }
    }

    /// The raw value of slot `index`, if the call has it.
    pub(super) fn get(&self, index: usize) -> Option<&'a str> {
        self.values.get(index).copied().flatten()
    }

    /// Notes why slot `slot` has no value.
    pub(super) fn refuse<T>(&mut self, slot: usize, message: String) -> Option<T> {
        self.misfits.push(Misfit { slot: Some(slot), message });
        None
    }

    /// Says what the tool returns, whatever becomes of this call.
    pub fn returns(&mut self, schema: Option<MakeSchema>) {
        self.returns = schema;
    }

    /// What makes the schema of the result, once the tool was started.
    pub(crate) fn returned(&self) -> Option<MakeSchema> {
        self.returns
    }

    /// Whether the tool is to run now: everything was decoded, and for that purpose.
    pub fn is_ready(&self) -> bool {
        self.misfits.is_empty() && self.purpose == Purpose::Run
    }

    pub(crate) fn into_misfits(self) -> Vec<Misfit> {
        self.misfits
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Param, *};

    const NUMBER: Param<u8> = Param::new();
    const OPTIONAL: Param<Option<u8>> = Param::new();

    #[test]
    fn every_misfit_is_noted_at_its_slot() {
        let values = [Some("300"), None, None, Some("1")];
        let mut slots = Slots::new(&values, Purpose::Run);
        assert_eq!(NUMBER.take(&mut slots, 0), None);
        assert_eq!(NUMBER.take(&mut slots, 1), None);
        assert_eq!(OPTIONAL.take(&mut slots, 2), Some(None));
        assert_eq!(NUMBER.take(&mut slots, 3), Some(1));
        assert!(!slots.is_ready());
        let misfits = slots.into_misfits();
        assert_eq!(misfits.iter().map(|misfit| misfit.slot).collect::<Vec<_>>(), [Some(0), Some(1)]);
    }

    #[test]
    fn slots_for_a_check_are_never_ready() {
        assert!(Slots::new(&[], Purpose::Run).is_ready());
        assert!(!Slots::new(&[], Purpose::Check).is_ready());
    }
}
