//! A result of several parts: text, an image, sound, a file and a link.
//!
//! Notice the line that stands for each where only text can go; the image that is over the budget, left out whole and
//! kept; and that each provider gets what it takes, and is told what it doesn't.
//!
//! ```sh
//! cargo run --example media
//! ```

use serde_json::json;
use tool_runtime::{BuildError, Dialect, MemoryStore, Part, Registry, ResourceLink, ToolCall, tool, tools};

/// Inspects a machine.
#[tool(max_media_bytes = 100)]
fn inspect() -> Vec<Part> {
    // A few bytes stand for the real thing here.
    vec![
        Part::text("Bearing 3 is too loud."),
        Part::image([0; 2000], "image/png"),
        Part::image(*b"thumbnail", "image/png"),
        Part::audio(*b"hum", "audio/wav"),
        Part::file("log.csv", *b"hour,db\n9,81\n", "text/csv"),
        ResourceLink::new("https://example.com/manual.pdf", "manual").description("How to replace a bearing").into(),
    ]
}

fn main() -> Result<(), BuildError> {
    let store = MemoryStore::new(1 << 20);
    let registry = Registry::builder().tools(tools![inspect]).store(store).deterministic(1).build()?;
    let outcome = registry.call_blocking(ToolCall::new("call_1", "inspect", "{}"));
    println!("━━━ as text\n{}\n", outcome.model_text());
    for dialect in [Dialect::OpenAiChat, Dialect::Anthropic, Dialect::Gemini, Dialect::Mcp] {
        println!("━━━ {dialect:?}");
        for message in dialect.messages(std::slice::from_ref(&outcome)) {
            println!("{message}");
        }
        println!();
    }
    println!("━━━ left out: {}", json!(outcome.receipt().left_out));

    println!("━━━ what is wrong with a part");
    for error in [
        Part::image_base64("iVBORw0KGgo!", "image/png"),
        Part::image(*b"RIFF", "audio/wav").checked(),
        Part::image_url("chart.png"),
    ] {
        println!("{}", error.expect_err("each has a mistake"));
    }
    Ok(())
}
