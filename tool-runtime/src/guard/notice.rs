//! What a model reads when it runs in circles. Never an argument: it may be a secret.

use super::Run;

/// About a call that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// It repeats others.
    Repeats(Run),
    /// It was to be refused and ran to see whether something has changed; nothing has.
    Unchanged(Run),
}

/// Why a call was not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Blocked(Run),
    /// This call is one too many.
    Halts(Run),
    /// An earlier one was.
    Halted,
}

const ADVICE: &str = "change the arguments, take another tool, or tell the user what is missing";

impl Note {
    pub(crate) fn text(self) -> String {
        let (Self::Repeats(run) | Self::Unchanged(run)) = self;
        let said = happened(run);
        match self {
            Self::Repeats(_) => format!("{said}; {ADVICE}"),
            Self::Unchanged(_) => format!("{said}; nothing has changed, so don't repeat it: {ADVICE}"),
        }
    }
}

impl Refusal {
    /// For the receipt.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Blocked(_) => "not run: the loop guard saw the same calls give the same results",
            Self::Halts(_) => "not run: the loop guard halted the session with this call",
            Self::Halted => "not run: the loop guard has halted the session",
        }
    }

    pub(crate) fn text(self) -> String {
        const STOPPED: &str = "No tool runs any more in this session: call none, and tell the user what you tried and \
                               what is missing.";
        match self {
            Self::Blocked(run) => {
                format!("[Not run] {}. Don't repeat it: {ADVICE}.", capital(&asked(run)))
            }
            Self::Halts(run) => format!("[Halted, not run] {}. {STOPPED}", capital(&asked(run))),
            Self::Halted => {
                format!("[Halted, not run] The same calls were made again and again with the same results. {STOPPED}")
            }
        }
    }
}

fn happened(run: Run) -> String {
    match run.period {
        1 => format!("this is call {} in a row with the same arguments and the same result", run.length),
        period => format!("the same {period} calls were made {} times in turn, with the same results", run.rounds()),
    }
}

fn asked(run: Run) -> String {
    match run.period {
        1 => {
            format!("this is call {} in a row with the same arguments, and the result was always the same", run.length)
        }
        period => format!(
            "the same {period} calls are being made for round {} in turn, and their results were always the same",
            run.length.div_ceil(period)
        ),
    }
}

/// A sentence of ours, begun with a capital letter.
fn capital(text: &str) -> String {
    let (first, rest) = text.split_at_checked(1).unwrap_or_default();
    first.to_ascii_uppercase() + rest
}
