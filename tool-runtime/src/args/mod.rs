//! From the raw text of a call to a started tool, or to every problem that kept it from starting.
//!
//! The common case is one scan and one decode. Only what does not fit is looked at again: keys by [`keys`], values
//! along the schema by [`walk`]. Whatever changes makes new text, and new text is scanned again.

mod bounds;
mod edit;
mod expect;
mod keys;
mod members;
mod message;
mod misfit;
mod pointer;
mod scan;
mod shown;
mod string;
mod tree;
mod union;
mod walk;

use std::borrow::Cow;

use serde_json::Value;

use self::{
    edit::Edit,
    members::Members,
    scan::{Fault, Found},
    tree::Node,
};
pub(crate) use self::{message::message, shown::shown};
use crate::{
    context::CallContext,
    error::{Problem, ProblemKind},
    policy::Coercion,
    request::{Misfit, RawArguments},
    tool::{Callable, Started},
};

/// Problems collected at most; a hostile call could have hundreds of thousands.
const MAX_PROBLEMS: usize = 1000;
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
    let (started, Told { notes, notices }) = job.run(text, incomplete, &|args| callable.start(args, ctx))?;
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
    job.run(text, incomplete, &|args| callable.check(args)).map(drop)
}

type Decode<'d, T> = &'d dyn Fn(RawArguments<'_>) -> Result<T, Vec<Misfit>>;

struct Job<'j> {
    callable: &'j dyn Callable,
    schema: &'j Value,
    limits: &'j Limits,
}

impl Job<'_> {
    fn run<T>(&self, text: &str, incomplete: bool, decode: Decode<'_, T>) -> Result<(T, Told), Vec<Problem>> {
        self.is_in_size(text)?;
        if incomplete {
            return Err(vec![cut_off("output cut at the token limit")]);
        }
        let mut members = Members::new();
        let (text, mut problems) = self.scan(self.or_empty(text), &mut members)?;
        let (text, judged) = self.settle_keys(text, &mut members)?;
        problems.extend(judged.problems);

        if problems.is_empty() && !self.callable.is_untyped() {
            match self.decode(&text, &members, decode) {
                Ok(done) => return Ok((done, judged.told)),
                Err(misfits) => problems = self.explain(&text, &members, &misfits),
            }
        } else if self.callable.is_untyped() {
            problems.extend(walk::problems(self.schema, &Node::parse(&text)));
        } else if let Err(misfits) = self.decode(&text, &members, &|args| self.callable.check(args)) {
            // The tool can't run any more; what else is wrong is told in the same message.
            problems.extend(self.explain(&text, &members, &misfits));
        }
        problems.retain(|problem| problem.kind != ProblemKind::Missing || !judged.suggested.contains(&problem.path));
        if problems.is_empty() {
            return match self.decode(&text, &members, decode) {
                Ok(done) => Ok((done, judged.told)),
                Err(misfits) => Err(self.explain(&text, &members, &misfits)),
            };
        }
        Err(problems)
    }

    fn is_in_size(&self, text: &str) -> Result<(), Vec<Problem>> {
        let most = self.limits.bytes.min(u32::MAX as usize - 1);
        if text.len() <= most {
            return Ok(());
        }
        let expected = format!("at most {most} bytes");
        Err(vec![whole(ProblemKind::ArgumentsTooLarge, expected, format!("{} bytes", text.len()))])
    }

    /// Models leave the arguments out where there are none to give.
    fn or_empty<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let trimmed = text.trim_matches([' ', '\n', '\t', '\r']);
        let is_nothing = match self.limits.coercion {
            Coercion::Lossless => trimmed.is_empty() || trimmed == "null",
            Coercion::Strict => {
                text.is_empty() && self.schema.get("required").and_then(Value::as_array).is_none_or(Vec::is_empty)
            }
        };
        Cow::Borrowed(if is_nothing { "{}" } else { text })
    }

    /// Scans the text, and drops what only repeats what was said before.
    fn scan<'t>(
        &self,
        text: Cow<'t, str>,
        members: &mut Members,
    ) -> Result<(Cow<'t, str>, Vec<Problem>), Vec<Problem>> {
        let depth = self.limits.depth.min(DEEPEST);
        let refuse = |text: &str, fault| Err(vec![refusal(text, fault, depth)]);
        let Found { duplicates, repeated } = match scan::scan(&text, depth, members) {
            Ok(found) => found,
            Err(fault) => return refuse(&text, fault),
        };
        let problems = duplicates.into_iter().map(keys::duplicate).collect();
        if repeated.is_empty() {
            return Ok((text, problems));
        }
        let edits = repeated.into_iter().map(|span| Edit { span, text: String::new() }).collect();
        let text = edit::apply(&text, edits);
        match scan::scan(&text, depth, members) {
            Ok(_) => Ok((Cow::Owned(text), problems)),
            Err(fault) => refuse(&text, fault),
        }
    }

    fn settle_keys<'t>(
        &self,
        text: Cow<'t, str>,
        members: &mut Members,
    ) -> Result<(Cow<'t, str>, keys::Judged), Vec<Problem>> {
        let found = members.as_slice();
        if keys::are_plain(&text, found, self.callable, self.schema) {
            return Ok((text, keys::Judged::default()));
        }
        let mut judged = keys::judge(&text, found, self.callable, self.schema, self.limits.coercion);
        let edits = std::mem::take(&mut judged.edits);
        if edits.is_empty() {
            return Ok((text, judged));
        }
        let (text, _) = self.scan(Cow::Owned(edit::apply(&text, edits)), members)?;
        Ok((text, judged))
    }

    /// Lends each parameter its raw value.
    fn decode<T>(&self, text: &str, members: &Members, decode: Decode<'_, T>) -> Result<T, Vec<Misfit>> {
        let names = self.callable.names().unwrap_or_default();
        let mut few = [None; FEW_SLOTS];
        let mut many = Vec::new();
        let slots = match few.get_mut(..names.len()) {
            Some(slots) => slots,
            None => {
                many.resize(names.len(), None);
                &mut many[..]
            }
        };
        if !names.is_empty() {
            for member in members.as_slice() {
                let key = string::unescape(member.key.of(text));
                if let Some(slot) = names.iter().position(|names| names.contains(&key.as_ref())) {
                    slots[slot].get_or_insert(member.value.of(text));
                }
            }
        }
        decode(RawArguments { text, slots })
    }

    /// Every problem, in the order of the schema, for what serde refused.
    fn explain(&self, text: &str, members: &Members, misfits: &[Misfit]) -> Vec<Problem> {
        let Some(names) = self.callable.names() else {
            let node = Node::parse(text);
            let problems = walk::problems(self.schema, &node);
            if !problems.is_empty() {
                return problems;
            }
            return misfits
                .iter()
                .take(1)
                .map(|misfit| misfit::problem(self.schema, None, Some(&node), misfit))
                .collect();
        };
        // Under the name that the schema knows, whichever alias the model wrote.
        let slot_of = |key: &str| names.iter().position(|names| names.contains(&key));
        let name_of = |slot: usize| names.get(slot).and_then(|names| names.first()).copied();
        let given = members.as_slice().iter().filter_map(|member| {
            let name = name_of(slot_of(&string::unescape(member.key.of(text)))?)?;
            Some((Cow::Borrowed(name), Node::parse(member.value.of(text))))
        });
        let node = Node::Object(given.collect());
        let mut problems = walk::problems(self.schema, &node);
        let slot_of_problem = |problem: &Problem| pointer::first(&problem.path).and_then(|name| slot_of(&name));
        // Where serde is content with the type, so are we.
        problems.retain(|problem| {
            problem.kind == ProblemKind::OutOfBounds
                || slot_of_problem(problem).is_none_or(|slot| misfits.iter().any(|misfit| misfit.slot == Some(slot)))
        });
        for misfit in misfits {
            let is_explained = problems.iter().any(|problem| slot_of_problem(problem) == misfit.slot);
            if !is_explained {
                let name = misfit.slot.and_then(name_of);
                let value = name.map_or(Some(&node), |name| node.get(name));
                problems.push(misfit::problem(self.schema, name, value, misfit));
            }
        }
        problems.sort_by_key(slot_of_problem);
        problems
    }
}

fn whole(kind: ProblemKind, expected: impl Into<String>, got: impl Into<String>) -> Problem {
    Problem { path: String::new(), kind, expected: expected.into(), got: got.into() }
}

fn cut_off(got: &str) -> Problem {
    whole(ProblemKind::CutOff, "complete JSON object", got)
}

/// What the scan refused, in words.
fn refusal(text: &str, fault: Fault, depth: usize) -> Problem {
    match fault {
        Fault::CutOff if text.trim().is_empty() => whole(ProblemKind::InvalidJson, "JSON object", "no text"),
        Fault::CutOff => cut_off("unterminated JSON"),
        Fault::TooDeep => whole(ProblemKind::TooDeep, format!("at most {depth} levels of nesting"), "deeper nesting"),
        Fault::NotAnObject(kind) => whole(ProblemKind::NotAnObject, "object", kind),
        Fault::Invalid { at, expected } => {
            let before = text.get(..at).unwrap_or(text);
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            let got = format!("unparsable text (line {line}, column {column}: expected {expected})");
            whole(ProblemKind::InvalidJson, "JSON object", got)
        }
    }
}
