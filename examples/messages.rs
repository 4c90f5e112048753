//! The same tool and the same outcomes for four providers.
//!
//! Notice the two places where a dialect matters, the request's `tools` and the messages to append; that each
//! provider's own flag says what failed; and where an image goes.
//!
//! ```sh
//! cargo run --example messages
//! ```

use serde_json::Value;
use tool_runtime::{BuildError, Dialect, Outcome, Part, Registry, ToolCall, ToolResult, tool, tools};

/// Draws a dot.
#[tool(title = "Dot", read_only)]
fn dot(
    /// A colour's name.
    colour: &str,
    size: Option<u8>,
) -> Result<ToolResult<u8>, String> {
    if colour != "red" {
        return Err(format!("there is no {colour} paint, only red"));
    }
    let size = size.unwrap_or(1);
    // Three bytes stand for a picture here.
    let parts = vec![Part::text(format!("a red dot of size {size}")), Part::image([1, 2, 3], "image/png")];
    Ok(ToolResult::new(size).content(parts))
}

fn main() -> Result<(), BuildError> {
    let registry = Registry::builder().tools(tools![dot]).build()?;
    let outcomes: Vec<Outcome> = [("call_1", r#"{"colour":"red","size":3}"#), ("call_2", r#"{"colour":"blue"}"#)]
        .map(|(id, arguments)| registry.call_blocking(ToolCall::new(id, "dot", arguments)))
        .into();

    for dialect in [Dialect::OpenAiChat, Dialect::Anthropic, Dialect::Gemini, Dialect::Mcp] {
        println!("━━━ {dialect:?}");
        println!("tools: {}", Value::from(registry.definitions(dialect)));
        for message in dialect.messages(&outcomes) {
            println!("append: {message}");
        }
        println!();
    }
    Ok(())
}
