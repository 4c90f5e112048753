//! Seven tools over real files, called as a model calls them: by name, with raw JSON arguments.
//!
//! Notice, call by call, what the model reads of a result of many thousand characters: a summary, the ends of a
//! log, a page inside a fence that its own text can't close, shortened fields, an untouched image, and for calls
//! that went wrong a text that says how to call better. The table at the end adds it up.
//!
//! ```sh
//! cargo run --example quickstart             # what the model reads, and the table
//! cargo run --example quickstart -- --json   # the receipts
//! ```

mod report;
mod tools;
mod weather;

use std::io;

use tool_runtime::{Outcome, Registry, ToolCall};

/// What a model might ask for: the name of a tool, and its arguments as the provider sends them.
const CALLS: [(&str, &str); 9] = [
    ("weather", r#"{"airport":"EWR","month":2}"#),
    ("build_log", r#"{"package":"payload-probe"}"#),
    ("fetch_page", r#"{"url":"https://docs.example/serde_json/enum.Value.html"}"#),
    ("translations", r#"{"languages":["hin","jpn","mya"]}"#),
    ("api_docs", r#"{"item":"serde_json::Value","methods":["get","as_str","pointer"]}"#),
    ("screenshot", "{}"),
    ("deploy", r#"{"environment":"production"}"#),
    // The month is no number, and there is no `airprot`.
    ("weather", r#"{"airprot":"EWR","month":"February"}"#),
    // There is no such tool.
    ("fetch_pgae", r#"{"url":"https://docs.example/serde_json/enum.Value.html"}"#),
];

fn main() -> io::Result<()> {
    let registry = Registry::builder().tools(tools::all()).field_limit(200).build().map_err(io::Error::other)?;

    let outcomes: Vec<Outcome> = (1..)
        .zip(CALLS)
        .map(|(number, (name, arguments))| {
            registry.call_blocking(ToolCall::new(format!("call_{number}"), name, arguments))
        })
        .collect();

    if std::env::args().any(|arg| arg == "--json") {
        return report::receipts(&outcomes);
    }
    for (outcome, (name, arguments)) in outcomes.iter().zip(CALLS) {
        report::reply(outcome, name, arguments)?;
    }
    report::table(&outcomes)
}
