//! A hook that takes something else than the result.

use tool_runtime::tool;

#[derive(serde::Serialize)]
struct Report {
    rows: u32,
}

fn brief(rows: &Vec<Report>) -> String {
    format!("{} rows", rows.len())
}

/// Reports.
#[tool(to_model_output = brief)]
fn report() -> Report {
    Report { rows: 3 }
}

fn main() {
    report();
    brief(&Vec::new());
}
