//! A hook that is `async`: its result would be a future, which is no view.

use tool_runtime::tool;

#[derive(serde::Serialize)]
struct Report {
    rows: u32,
}

async fn brief(report: &Report) -> String {
    format!("{} rows", report.rows)
}

/// Reports.
#[tool(to_model_output = brief)]
fn report() -> Report {
    Report { rows: 3 }
}

fn main() {
    drop(brief(&report()));
}
