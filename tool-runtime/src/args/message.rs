//! The one message that a model reads about its arguments.

use std::fmt;

use super::{MAX_PATH_BYTES, MAX_PROBLEMS, pointer::readable, scan, shown::shown};
use crate::error::{Problem, ProblemKind};

const MAX_LINES: usize = 10;
/// Characters of the whole message.
const MAX_CHARS: usize = 2000;
/// Characters of what was expected, and of what came.
const MAX_WORDS: usize = 600;
/// Characters kept for the last two lines.
const RESERVED: usize = 250;

/// What a model reads about its arguments, in parts: only the middle quotes what it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// Tool and number of problems.
    pub(crate) head: String,
    /// One line for each problem.
    pub(crate) problems: String,
    /// What to do.
    pub(crate) tail: String,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}\n{}", self.head, self.problems, self.tail)
    }
}

/// The message about these problems; at most 2,000 characters.
pub(crate) fn message(tool: &str, problems: &[Problem]) -> Message {
    let tool = shown(tool, 80);
    if let Some(cut) = problems.iter().find(|problem| problem.kind == ProblemKind::CutOff) {
        return Message {
            head: format!("The arguments for tool `{tool}` were cut off; the tool was not run."),
            problems: line(cut),
            tail: format!("Call `{tool}` again with smaller arguments, or split the work over several calls."),
        };
    }
    let or_more = if are_some(problems) { " or more" } else { "" };
    let count = match problems.len() {
        1 if or_more.is_empty() => "1 problem".to_owned(),
        count => format!("{count}{or_more} problems"),
    };
    let head = format!("Invalid arguments for tool `{tool}` ({count}); the tool was not run.");
    let mut chars = head.chars().count() + 1;
    let mut lines: Vec<String> = Vec::new();
    for problem in problems.iter().take(MAX_LINES) {
        let line = format!("{}. {}", lines.len() + 1, line(problem));
        chars += line.chars().count() + 1;
        if chars + RESERVED > MAX_CHARS {
            break;
        }
        lines.push(line);
    }
    if lines.len() < problems.len() {
        let more = if or_more.is_empty() { " more" } else { or_more };
        lines.push(format!("… and {}{more}.", problems.len() - lines.len()));
    }
    let smaller = problems.iter().any(|problem| problem.kind == ProblemKind::ArgumentsTooLarge);
    let how = if smaller { "smaller" } else { "corrected" };
    Message { head, problems: lines.join("\n"), tail: format!("Call `{tool}` again with {how} arguments.") }
}

/// Whether there may have been more of them: they were counted up to a limit.
fn are_some(problems: &[Problem]) -> bool {
    problems.len() >= MAX_PROBLEMS
        || problems.iter().filter(|problem| problem.kind == ProblemKind::DuplicateKey).count() >= scan::MAX_REPORTED
        || problems.iter().map(|problem| problem.path.len()).sum::<usize>() >= MAX_PATH_BYTES
}

fn line(problem: &Problem) -> String {
    let path = match problem.path.as_str() {
        "" => "arguments".to_owned(),
        path => format!("`{}`", readable(path, 80)),
    };
    // A schema from elsewhere may have no end of types.
    let expected: String = problem.expected.chars().take(MAX_WORDS).collect();
    let got: String = problem.got.chars().take(MAX_WORDS).collect();
    match problem.kind {
        ProblemKind::UnknownField if expected.ends_with('?') => format!("{path}: {expected}"),
        ProblemKind::UnknownField => format!("{path}: {expected}."),
        ProblemKind::Missing => format!("{path}: missing, expected {expected}."),
        _ => format!("{path}: expected {expected}, got {got}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(path: &str, kind: ProblemKind, expected: &str, got: &str) -> Problem {
        Problem { path: path.into(), kind, expected: expected.into(), got: got.into() }
    }

    #[test]
    fn stays_within_its_limit_and_counts_the_rest() {
        let long =
            problem(&format!("/{}", "k".repeat(900)), ProblemKind::OutOfBounds, &"e".repeat(400), &"g".repeat(80));
        for count in [1, 2, 9, 10, 11, 500] {
            let text = message(&"t".repeat(200), &vec![long.clone(); count]).to_string();
            assert!(text.chars().count() <= MAX_CHARS, "{text}");
            assert!(count < 4 || text.contains(" more.\n"), "{text}");
        }
        let short = problem("/n", ProblemKind::Missing, "integer", "missing");
        let text = message("t", &vec![short; 12]).to_string();
        assert!(text.contains("\n10. `n`: missing, expected integer.\n… and 2 more.\n"), "{text}");
    }

    #[test]
    fn a_count_that_was_ended_says_so() {
        let counted = |kind, count: usize, path: &str| {
            let text = message("t", &vec![problem(path, kind, "one value", "two different values"); count]).to_string();
            text.contains(&format!("({count} or more problems)")) && text.contains(&format!("{} or more.", count - 10))
        };
        assert!(counted(ProblemKind::DuplicateKey, 100, "/n"));
        assert!(!counted(ProblemKind::DuplicateKey, 99, "/n"));
        assert!(!counted(ProblemKind::Missing, 100, "/n"));
        assert!(counted(ProblemKind::Missing, 1000, "/n"));
        assert!(counted(ProblemKind::Missing, 20, &"k".repeat(MAX_PATH_BYTES / 20 + 1)));
    }

    #[test]
    fn a_cut_off_call_is_told_to_be_smaller() {
        let cut = problem("", ProblemKind::CutOff, "complete JSON object", "unterminated JSON");
        let text = message("t", &[cut]).to_string();
        assert!(["cut off", "was not run", "smaller"].iter().all(|part| text.contains(part)), "{text}");
    }
}
