//! The one message that a model reads about its arguments.

use std::fmt::Write;

use super::{MAX_PROBLEMS, pointer::readable, shown::shown};
use crate::error::{Problem, ProblemKind};

const MAX_LINES: usize = 10;
/// Characters of the whole message.
const MAX_CHARS: usize = 2000;
/// Characters of what was expected, and of what came.
const MAX_WORDS: usize = 600;
/// Characters kept for the last two lines.
const RESERVED: usize = 250;

/// Tool, number of problems, one line each, what to do. At most 2,000 characters.
pub(crate) fn message(tool: &str, problems: &[Problem]) -> String {
    let tool = shown(tool, 80);
    if let Some(cut) = problems.iter().find(|problem| problem.kind == ProblemKind::CutOff) {
        return format!(
            "The arguments for tool `{tool}` were cut off ({}); the tool was not run.\n\
             Call `{tool}` again with smaller arguments, or split the work over several calls.",
            shown(&cut.got, 80)
        );
    }
    let count = match problems.len() {
        1 => "1 problem".to_owned(),
        MAX_PROBLEMS.. => format!("{MAX_PROBLEMS} or more problems"),
        count => format!("{count} problems"),
    };
    let mut text = format!("Invalid arguments for tool `{tool}` ({count}); the tool was not run.\n");
    let mut chars = text.chars().count();
    let mut shown_lines = 0;
    for problem in problems.iter().take(MAX_LINES) {
        let line = line(problem);
        let length = line.chars().count() + 5;
        if chars + length + RESERVED > MAX_CHARS {
            break;
        }
        shown_lines += 1;
        chars += length;
        let _ = writeln!(text, "{shown_lines}. {line}");
    }
    if shown_lines < problems.len() {
        let _ = writeln!(text, "… and {} more.", problems.len() - shown_lines);
    }
    let smaller = problems.iter().any(|problem| problem.kind == ProblemKind::ArgumentsTooLarge);
    let how = if smaller { "smaller" } else { "corrected" };
    let _ = write!(text, "Call `{tool}` again with {how} arguments.");
    text
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
            let text = message(&"t".repeat(200), &vec![long.clone(); count]);
            assert!(text.chars().count() <= MAX_CHARS, "{text}");
            assert!(count < 4 || text.contains(" more.\n"), "{text}");
        }
        let short = problem("/n", ProblemKind::Missing, "integer", "missing");
        let text = message("t", &vec![short; 12]);
        assert!(text.contains("\n10. `n`: missing, expected integer.\n… and 2 more.\n"), "{text}");
    }

    #[test]
    fn a_cut_off_call_is_told_to_be_smaller() {
        let cut = problem("", ProblemKind::CutOff, "complete JSON object", "unterminated JSON");
        let text = message("t", &[cut]);
        assert!(["cut off", "was not run", "smaller"].iter().all(|part| text.contains(part)), "{text}");
    }
}
