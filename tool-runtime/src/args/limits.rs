//! Limits that a function's attributes set, held before the function is started. What a type refuses, it refuses
//! itself; these are the ones that no type knows.

use super::{tree::Node, walk};
use crate::{
    error::ProblemKind,
    request::{Limit, Misfit, RawArguments},
};

/// The arguments that keep to their types, as far as can be seen, and not to their limits.
pub(super) fn misfits(limits: &[Limit], args: RawArguments<'_>) -> Vec<Misfit> {
    let mut misfits = Vec::new();
    for limit in limits {
        let Some(text) = args.slots.get(limit.slot).copied().flatten() else { continue };
        let node = Node::parse(text);
        let is_out =
            walk::problems(&limit.keywords, &node).iter().any(|problem| problem.kind == ProblemKind::OutOfBounds);
        let message = match &node {
            _ if is_out => Some(String::new()),
            Node::String(text) => limit.refuses(text),
            _ => None,
        };
        misfits.extend(message.map(|message| Misfit { slot: Some(limit.slot), message }));
    }
    misfits
}
