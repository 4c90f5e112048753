//! Prints what the model reads, the table, and the receipts.

use std::{
    io::{self, Write},
    path::Path,
};

use serde::Serialize;
use tool_runtime::{Outcome, Part, Receipt, Status, ViewSource};

use crate::tools::SCREENSHOT;

/// One call and what the model reads of it.
pub(crate) fn reply(outcome: &Outcome, name: &str, arguments: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "━━━ {} · {name} {arguments}", outcome.call_id())?;
    writeln!(out, "{}", outcome.model_text())?;
    for part in outcome.parts() {
        if let Part::Image { data, media_type } = part {
            let verdict = if data[..] == *SCREENSHOT { "byte for byte the file" } else { "CHANGED" };
            writeln!(out, "    (beside the text: {media_type}, {} bytes, {verdict})", data.len())?;
        }
    }
    writeln!(out)
}

/// What was there, what the model reads, and what that saves, in characters. The full result is counted as the tool
/// returned it; the header above a cut external text counts what is left of it without colour codes and the like.
pub(crate) fn table(outcomes: &[Outcome]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    line(&mut out, ["tool", "status", "full result", "model reads", "saved", "view from", "artifact"])?;
    for outcome in outcomes {
        let receipt = outcome.receipt();
        let full = outcome.output().text().chars().count();
        line(
            &mut out,
            [
                outcome.tool_name(),
                &format!("{:?}", outcome.status()),
                &grouped(full),
                &grouped(receipt.model_chars),
                &saved(outcome, full),
                &format!("{:?}", receipt.view_source),
                outcome.artifact().map_or("-", |artifact| &artifact.id),
            ],
        )?;
    }
    let folder = outcomes.iter().find_map(|outcome| outcome.artifact()?.path.as_deref()?.parent());
    if let Some(folder) = folder.map(Path::display) {
        writeln!(out, "\nThe artifacts are files in {folder}.")?;
        writeln!(out, "Unless TOOL_RUNTIME_STORE_DIR says where to keep them, they go with the registry.")?;
    }
    Ok(())
}

fn line(out: &mut impl Write, cells: [&str; 7]) -> io::Result<()> {
    let [tool, status, full, model, saved, view, artifact] = cells;
    writeln!(out, "{tool:13} {status:17} {full:>11} {model:>12} {saved:>7}  {view:10} {artifact}")
}

/// Per cent; nothing where there is no result to save on, or where the model reads content parts instead.
fn saved(outcome: &Outcome, full: usize) -> String {
    let receipt = outcome.receipt();
    if outcome.status() != Status::Ok || receipt.view_source == ViewSource::Content || full == 0 {
        return "-".to_owned();
    }
    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let share = receipt.model_chars as f64 / full as f64;
    format!("{:.1} %", 100.0 * (1.0 - share))
}

/// `98120` as `98,120`.
fn grouped(number: usize) -> String {
    match (number / 1000, number % 1000) {
        (0, rest) => rest.to_string(),
        (thousands, rest) => format!("{},{rest:03}", grouped(thousands)),
    }
}

/// A receipt under the name of its call.
#[derive(Serialize)]
struct Line<'a> {
    call_id: &'a str,
    tool: &'a str,
    status: String,
    #[serde(flatten)]
    receipt: &'a Receipt,
}

/// All receipts as one JSON array.
pub(crate) fn receipts(outcomes: &[Outcome]) -> io::Result<()> {
    let lines: Vec<Line<'_>> = outcomes
        .iter()
        .map(|outcome| Line {
            call_id: outcome.call_id(),
            tool: outcome.tool_name(),
            status: format!("{:?}", outcome.status()),
            receipt: outcome.receipt(),
        })
        .collect();
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &lines)?;
    writeln!(out)
}
