//! From the raw text of a call to a started tool, or to every problem that kept it from starting.
//!
//! The common case is one scan and one decode. Only what does not fit is looked at again: keys by [`keys`], values
//! along the schema by [`walk`]. Whatever changes makes new text, and new text is scanned again.

mod bounds;
mod decimal;
mod edit;
mod expect;
mod keys;
mod limits;
mod members;
mod message;
mod misfit;
mod pointer;
mod read;
mod repair;
mod repair_text;
mod scan;
mod shown;
mod string;
mod tree;
mod union;
mod walk;
mod wrong_key;

use std::borrow::Cow;

use serde_json::Value;

use self::{members::Members, tree::Node};
pub(crate) use self::{
    message::{Message, message},
    shown::{shown, shown_bare},
};
use crate::{
    callable::{Callable, Started},
    context::CallContext,
    error::{Problem, ProblemKind},
    json,
    policy::Coercion,
    request::{Misfit, RawArguments},
};

/// Problems collected at most; a hostile call could have hundreds of thousands.
const MAX_PROBLEMS: usize = 1000;
/// Bytes in the paths of all problems, at most about; with long keys they would be the larger part.
const MAX_PATH_BYTES: usize = 1 << 20;
/// Characters of what came, its type included.
const MAX_GOT: usize = 80;
/// `serde_json` reads no deeper.
const DEEPEST: usize = 127;
/// Parameters whose values are lent from the stack.
const FEW_SLOTS: usize = 16;

/// What a call's arguments may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) bytes: usize,
    /// Levels of nesting, the arguments object being the first. More than 127 counts as 127.
    pub(crate) depth: usize,
    pub(crate) coercion: Coercion,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 1 << 20, depth: 64, coercion: Coercion::Lossless }
    }
}

/// A started tool, and what was done to its arguments.
#[derive(Debug)]
pub(crate) struct Decoded<'a> {
    pub(crate) started: Started<'a>,
    /// For the receipt: each repair.
    pub(crate) notes: Vec<String>,
    /// For the model: one sentence each, safe to show.
    pub(crate) notices: Vec<String>,
}

/// What is said about a call that runs.
#[derive(Debug, Default)]
struct Told {
    notes: Vec<String>,
    notices: Vec<String>,
}

/// Decodes the arguments and starts the tool; a synchronous one has finished when this returns.
pub(crate) fn start<'a>(
    text: &str,
    incomplete: bool,
    callable: &'a dyn Callable,
    schema: &Value,
    limits: &Limits,
    ctx: &'a CallContext,
) -> Result<Decoded<'a>, Vec<Problem>> {
    let job = Job { callable, schema, limits };
    let mut started = None;
    let Told { notes, notices } = job.run(text, incomplete, &mut |args| {
        started = Some(callable.start(args, ctx)?);
        Ok(())
    })?;
    let started = started.ok_or_else(read::unexplained)?;
    Ok(Decoded { started, notes, notices })
}

/// Decodes the arguments and nothing else.
pub(crate) fn check(
    text: &str,
    incomplete: bool,
    callable: &dyn Callable,
    schema: &Value,
    limits: &Limits,
) -> Result<(), Vec<Problem>> {
    let job = Job { callable, schema, limits };
    job.run(text, incomplete, &mut |args| callable.check(args)).map(drop)
}

/// The arguments as the tool reads them: repaired, and under the names of its parameters. For whoever judges a call
/// before it runs; what runs is decoded again, from the same text and so to the same values.
pub(crate) fn as_read(
    text: &str,
    incomplete: bool,
    callable: &dyn Callable,
    schema: &Value,
    limits: &Limits,
) -> Result<String, Vec<Problem>> {
    let job = Job { callable, schema, limits };
    let mut read = None;
    job.run(text, incomplete, &mut |args| {
        callable.check(args)?;
        read = Some(job.named(args));
        Ok(())
    })?;
    read.ok_or_else(read::unexplained)
}

/// What is done with arguments that keep to the limits; what it makes stays with whoever asked, so that the way there
/// is compiled once for all of them.
type Decode<'d> = &'d mut dyn FnMut(RawArguments<'_>) -> Result<(), Vec<Misfit>>;

struct Job<'j> {
    callable: &'j dyn Callable,
    schema: &'j Value,
    limits: &'j Limits,
}

impl Job<'_> {
    fn run(&self, text: &str, incomplete: bool, decode: Decode<'_>) -> Result<Told, Vec<Problem>> {
        self.is_in_size(text)?;
        if incomplete {
            return Err(vec![read::cut_off("output cut at the token limit")]);
        }
        let mut members = Members::new();
        let mut told = Told::default();
        let (text, mut problems) = self.read(self.or_empty(text), &mut members, &mut told)?;
        let (text, mut judged) = self.settle_keys(text, &mut members)?;
        if let Some(judged) = &mut judged {
            told.notes.append(&mut judged.told.notes);
            told.notices.append(&mut judged.told.notices);
            problems.append(&mut judged.problems);
        }
        if problems.is_empty() {
            problems = match self.values(&text, &members, decode, &[]) {
                Ok(mut notes) => {
                    told.notes.append(&mut notes);
                    return Ok(told);
                }
                Err(problems) => problems,
            };
        } else if let Err(more) = self.values(&text, &members, &mut |args| self.callable.check(args), &problems) {
            // The tool can't run any more; what else is wrong is told in the same message.
            problems.extend(more);
        }
        let judged = judged.unwrap_or_default();
        // Whoever misspelt a key has not left it out as well.
        problems.retain(|problem| problem.kind != ProblemKind::Missing || !judged.suggested.contains(&problem.path));
        // The schema knows no aliases: what it misses has been given where there are as many of them.
        let misses = |problem: &Problem| problem.kind == ProblemKind::Missing && pointer::is_top(&problem.path);
        let missed = problems.iter().filter(|problem| misses(problem)).count();
        if missed <= judged.aliases && missed < problems.len() {
            problems.retain(|problem| !misses(problem));
        }
        // What is missing may stand under a name that is not near: in a wrapper, or in other words.
        if problems.iter().any(|problem| problem.kind == ProblemKind::Missing) {
            problems.extend(judged.ignored);
        }
        problems.truncate(MAX_PROBLEMS);
        Err(if problems.is_empty() { read::unexplained() } else { problems })
    }

    /// Decodes the values, repaired where that is allowed and needed; with a note for each repair.
    fn values(
        &self,
        text: &str,
        members: &Members,
        decode: Decode<'_>,
        known: &[Problem],
    ) -> Result<Vec<String>, Vec<Problem>> {
        let Err(misfits) = self.decode(text, members, decode) else { return Ok(Vec::new()) };
        let Some((repaired, notes)) = self.repair(text, members, &misfits) else {
            return Err(self.explain(text, members, &misfits, known));
        };
        let mut its_members = Members::new();
        let Ok((repaired, _)) = self.rescan(repaired, &mut its_members) else {
            return Err(self.explain(text, members, &misfits, known));
        };
        match self.decode(&repaired, &its_members, decode) {
            Ok(()) => Ok(notes),
            Err(misfits) => Err(self.explain(&repaired, &its_members, &misfits, known)),
        }
    }

    fn repair(&self, text: &str, members: &Members, misfits: &[Misfit]) -> Option<(String, Vec<String>)> {
        if self.limits.coercion == Coercion::Strict {
            return None;
        }
        let names = self.callable.names();
        let may_touch = |key: &str| {
            names.is_none_or(|names| {
                misfits.iter().any(|misfit| {
                    misfit.slot.and_then(|slot| names.get(slot)?.first()).is_some_and(|name| *name == key)
                })
            })
        };
        let (repaired, notes) = repair::values(self.schema, &self.tree(text, members), &may_touch)?;
        let mut text = String::new();
        repaired.write(&mut text);
        Some((text, notes))
    }

    /// The arguments under the names that the schema knows, whichever alias the model wrote.
    fn tree<'t>(&self, text: &'t str, members: &Members) -> Node<'t> {
        let Some(names) = self.callable.names() else { return Node::parse(text) };
        let mut given = Vec::new();
        for member in members.as_slice() {
            let key = string::unescape(member.key.of(text));
            if let Some(name) = slot_of(names, &key).and_then(|slot| names[slot].first()) {
                given.push((Cow::Borrowed(*name), Node::parse(member.value.of(text))));
            }
        }
        Node::Object(given)
    }

    /// The text itself where each of its keys is a parameter's first name; else the values under these.
    fn named(&self, args: RawArguments<'_>) -> String {
        let Some(names) = self.callable.names() else { return args.text.to_owned() };
        let firsts = || names.iter().filter_map(|names| names.first().copied());
        if let Node::Object(members) = Node::parse(args.text) {
            if members.iter().all(|(key, _)| firsts().any(|name| name == key)) {
                return args.text.to_owned();
            }
        }
        let mut named = String::from("{");
        for (name, value) in firsts().zip(args.slots) {
            if let Some(value) = value {
                if named.len() > 1 {
                    named.push(',');
                }
                named.push_str(&json::text(&Value::from(name)));
                named.push(':');
                named.push_str(value);
            }
        }
        named.push('}');
        named
    }

    /// Lends each parameter its raw value, once nothing is left that no type would refuse. Where there are no types,
    /// the schema has to be content first.
    fn decode(&self, text: &str, members: &Members, decode: Decode<'_>) -> Result<(), Vec<Misfit>> {
        if self.callable.is_untyped() && !walk::problems(self.schema, &Node::parse(text)).is_empty() {
            return Err(Vec::new());
        }
        let names = self.callable.names().unwrap_or_default();
        let mut few = [None; FEW_SLOTS];
        let mut many = Vec::new();
        let slots = if let Some(slots) = few.get_mut(..names.len()) {
            slots
        } else {
            many.resize(names.len(), None);
            &mut many[..]
        };
        if !names.is_empty() {
            for member in members.as_slice() {
                let key = string::unescape(member.key.of(text));
                if let Some(slot) = slot_of(names, &key) {
                    slots[slot].get_or_insert(member.value.of(text));
                }
            }
        }
        let args = RawArguments { text, slots };
        let mut misfits = limits::misfits(self.callable.limits(), args);
        if members.has_large_number {
            misfits.extend(self.overflows(text, members));
        }
        if misfits.is_empty() { decode(args) } else { Err(self.with_checked(misfits, args)) }
    }

    /// What breaks a limit, and what the types refuse beside.
    fn with_checked(&self, mut misfits: Vec<Misfit>, args: RawArguments<'_>) -> Vec<Misfit> {
        for new in self.callable.check(args).err().unwrap_or_default() {
            match misfits.iter_mut().find(|known| known.slot == new.slot) {
                Some(known) if known.is_of_limit() => *known = new,
                Some(_) => {}
                None => misfits.push(new),
            }
        }
        misfits
    }

    /// Numbers that would become infinite when they are read: an `f32` takes whatever an `f64` can hold.
    fn overflows(&self, text: &str, members: &Members) -> Vec<Misfit> {
        let problems = walk::problems_of_given(self.schema, &self.tree(text, members));
        let mut misfits: Vec<Misfit> = Vec::new();
        for problem in problems.iter().filter(|problem| problem.kind == ProblemKind::NumberOutOfRange) {
            let name = pointer::first(&problem.path).unwrap_or_default();
            let slot = self.callable.names().and_then(|names| slot_of(names, &name));
            if misfits.last().is_none_or(|last| last.slot != slot) {
                misfits.push(Misfit { slot, message: "number out of range".to_owned() });
            }
        }
        misfits
    }
}

/// The parameter that the text may call `key`, by one of its names.
#[inline(never)]
fn slot_of(names: &[&[&str]], key: &str) -> Option<usize> {
    names.iter().position(|names| names.contains(&key))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::enum_glob_use, clippy::too_many_lines)]
mod tests;
