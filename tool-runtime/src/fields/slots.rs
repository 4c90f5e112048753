//! The values of one call, between the scan and the function.

use std::any::TypeId;

use schemars::Schema;

use super::{Fields, Params, Signature};
use crate::{request::Misfit, schema::Generator, stages::Stages};

/// The raw values of one call while they are decoded; gathers every misfit.
#[derive(Debug)]
pub struct Slots<'a> {
    values: &'a [Option<&'a str>],
    purpose: Purpose,
    misfits: Vec<Misfit>,
    /// Where the tool is asked about itself and is not to look at any argument.
    facts: Option<&'a mut Facts>,
}

/// What a tool says of itself when it is asked to start: no pointer to any of this has to stand in its table.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// The type of the function itself.
    pub(crate) key: Option<TypeId>,
    pub(crate) names: &'static [&'static [&'static str]],
    pub(crate) returns: Returns,
    /// The parameters, for those who want them.
    pub(crate) fields: Option<Fields>,
}

/// What is known of a tool's result by its type.
#[derive(Clone, Copy, Debug, Default)]
pub struct Returns {
    pub(crate) schema: Option<MakeSchema>,
    /// What it takes to show it.
    pub(crate) stages: Stages,
}

impl Returns {
    /// With `output_schema = false`.
    #[must_use]
    pub const fn without_schema(self) -> Self {
        Self { schema: None, ..self }
    }
}

/// Makes the schema of one type.
pub type MakeSchema = fn(&mut Generator) -> Schema;

/// What the arguments are decoded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Run,
    Check,
}

impl<'a> Slots<'a> {
    pub(crate) fn new(values: &'a [Option<&'a str>], purpose: Purpose) -> Self {
        Self { values, purpose, misfits: Vec::new(), facts: None }
    }

    /// For a tool that is asked and doesn't run.
    pub(crate) fn asking(facts: &'a mut Facts) -> Self {
        Self { facts: Some(facts), ..Self::new(&[], Purpose::Check) }
    }

    /// The arguments, if the tool is to run now: everything was decoded, and for that purpose. `function` is the key of the
    /// user's function, `returns` what is known of its result.
    // One function for all tools that take the same types: inside each of them the ways out would be most of its code.
    #[inline(never)]
    pub fn take<P: Params>(
        &mut self,
        signature: &'static Signature<P>,
        function: TypeId,
        returns: Returns,
    ) -> Option<P::Values> {
        if let Some(facts) = self.facts.as_deref_mut() {
            (facts.key, facts.names, facts.returns) = (Some(function), signature.names, returns);
            if let Some(fields) = &mut facts.fields {
                signature.params.describe(signature.names, fields);
            }
            return None;
        }
        let values = signature.params.take(self, 0);
        values.filter(|_| self.is_ready())
    }

    /// The raw value of slot `index`, if the call has it.
    pub(super) fn get(&self, index: usize) -> Option<&'a str> {
        self.values.get(index).copied().flatten()
    }

    /// Notes why slot `slot` has no value.
    #[cold]
    pub(super) fn refuse(&mut self, slot: usize, message: String) {
        self.misfits.push(Misfit { slot: Some(slot), message });
    }

    /// Notes that slot `slot` has to have a value.
    #[cold]
    pub(super) fn refuse_missing(&mut self, slot: usize) {
        self.refuse(slot, "missing".to_owned());
    }

    fn is_ready(&self) -> bool {
        self.misfits.is_empty() && self.purpose == Purpose::Run
    }

    pub(crate) fn into_misfits(self) -> Vec<Misfit> {
        self.misfits
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Param, *};

    type Both = (Param<u8>, Param<Option<u8>>);

    const SIGNATURE: &Signature<Both> =
        &Signature { names: &[&["number", "n"], &["optional"]], params: (NUMBER, OPTIONAL) };

    fn taken(slots: &mut Slots<'_>) -> Option<<Both as Params>::Values> {
        slots.take(SIGNATURE, TypeId::of::<Slots<'static>>(), Returns::default())
    }

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
    fn arguments_for_a_check_are_decoded_and_kept_back() {
        assert_eq!(taken(&mut Slots::new(&[Some("3"), None], Purpose::Run)), Some((3, None)));
        let misfits = |text| {
            let values = [Some(text), None];
            let mut slots = Slots::new(&values, Purpose::Check);
            assert_eq!(taken(&mut slots), None);
            slots.into_misfits().len()
        };
        assert_eq!((misfits("3"), misfits("300")), (0, 1));
    }

    #[test]
    fn all_misfits_are_known_before_a_call_ends() {
        let values = [Some("300"), Some("true")];
        let mut slots = Slots::new(&values, Purpose::Run);
        assert_eq!(taken(&mut slots), None);
        assert_eq!(slots.into_misfits().len(), 2);
    }

    #[test]
    fn a_tool_that_is_asked_says_what_it_is_and_takes_nothing() {
        let mut facts = Facts::default();
        assert_eq!(taken(&mut Slots::asking(&mut facts)), None);
        assert_eq!(facts.key, Some(TypeId::of::<Slots<'static>>()));
        assert_eq!(facts.names, SIGNATURE.names);
        assert!(facts.fields.is_none());
        let mut facts = Facts { fields: Some(Fields::new()), ..Facts::default() };
        assert_eq!(taken(&mut Slots::asking(&mut facts)), None);
        let schema = facts.fields.and_then(|fields| fields.finish().ok()).map(|(schema, _)| schema).unwrap_or_default();
        assert_eq!(schema["required"], serde_json::json!(["number"]));
        assert_eq!(schema["properties"]["optional"]["type"], serde_json::json!(["integer", "null"]));
    }
}
