//! Three ways to cut a result that is too long, and how to get at what was cut.
//!
//! Notice that a cut always says so: in a header, or for `fields` in `_artifact_ref`, so that JSON stays JSON. Limits
//! count characters, never bytes, so no character is cut in two.
//!
//! ```sh
//! cargo run --example limits
//! ```

use std::fs;

use serde::Serialize;
use tool_runtime::{BuildError, LocalStore, Registry, ToolCall, tool, tools};

fn log() -> String {
    let lines: Vec<String> = (1..=200).map(|step| format!("étape {step} ✓")).collect();
    lines.join("\n") + "\nerror: disk full"
}

/// The beginning and the end: what text gets when nothing is said.
#[tool(max_result_size = 120)]
fn head_tail() -> String {
    log()
}

/// The beginning.
#[tool(max_result_size = 120, truncation = head)]
fn head() -> String {
    log()
}

#[derive(Serialize)]
struct Page {
    title: &'static str,
    words: u32,
    body: String,
}

/// Long strings inside: what a JSON object gets when nothing is said.
#[tool(max_result_size = 250)]
fn fields() -> Page {
    Page { title: "Protocol", words: 604, body: log() }
}

fn main() -> Result<(), BuildError> {
    // The default store goes when the registry goes; this one stays until its artifacts expire.
    let folder = std::env::temp_dir().join(format!("tool-runtime-limits-{}", std::process::id()));
    let registry = Registry::builder()
        .tools(tools![head_tail, head, fields])
        .field_limit(80)
        .store(LocalStore::at(&folder))
        .show_paths(false) // the id alone; by default the model reads the path
        .deterministic(1)
        .build()?;
    for name in ["head_tail", "head", "fields"] {
        let outcome = registry.call_blocking(ToolCall::new("call_1", name, "{}"));
        println!("━━━ {name}\n{}\n", outcome.model_text());

        let Some(artifact) = outcome.artifact() else { continue };
        let file = artifact.path.as_ref().and_then(|path| fs::read_to_string(path).ok());
        let is_all = file.as_deref() == Some(&outcome.output().text());
        println!("    saved: {} characters; the file has the full result: {is_all}\n", artifact.chars);
    }
    // A temporary folder that can't be removed is the system's to clean up.
    let _ = fs::remove_dir_all(folder);
    Ok(())
}
