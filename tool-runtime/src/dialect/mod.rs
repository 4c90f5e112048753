//! How each provider wants tools described and results returned.

mod convert;
mod messages;

use serde_json::{Map, Value, json};

use crate::{outcome::Outcome, spec::ToolSpec};

/// A provider's form of tools, calls and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// `OpenAI` Chat Completions, and the many servers that speak it.
    OpenAiChat,
    /// Anthropic Messages.
    Anthropic,
    /// Gemini, with `parametersJsonSchema`.
    Gemini,
    /// Model Context Protocol, `tools/list` and `tools/call`.
    Mcp,
}

impl Dialect {
    pub(crate) const ALL: [Self; 4] = [Self::OpenAiChat, Self::Anthropic, Self::Gemini, Self::Mcp];

    /// What to append to the conversation for these outcomes.
    ///
    /// - `OpenAiChat`: a `tool` message per outcome, then one `user` message with the images, if there are any
    ///   (a `tool` message can't hold them).
    /// - `Anthropic`: one `user` message with a `tool_result` block per outcome.
    /// - `Gemini`: one `user` content with a `functionResponse` per outcome, images as `inlineData` behind them.
    /// - `Mcp`: a `CallToolResult` per outcome.
    pub fn messages(&self, outcomes: &[Outcome]) -> Vec<Value> {
        messages::all(*self, outcomes)
    }

    /// One tool's definition.
    pub(crate) fn definition(self, spec: &ToolSpec, schema: &Value, output_schema: Option<&Value>) -> Value {
        let schema = match self {
            Self::Mcp => schema.clone(),
            Self::OpenAiChat | Self::Anthropic | Self::Gemini => convert::plain(schema),
        };
        let mut named = Map::new();
        named.insert("name".into(), spec.name().into());
        if !spec.description.is_empty() {
            named.insert("description".into(), spec.description.as_ref().into());
        }
        match self {
            Self::OpenAiChat => {
                named.insert("parameters".into(), schema);
                json!({ "type": "function", "function": named })
            }
            Self::Anthropic => {
                named.insert("input_schema".into(), schema);
                named.into()
            }
            Self::Gemini => {
                named.insert("parametersJsonSchema".into(), schema);
                named.into()
            }
            Self::Mcp => {
                named.insert("inputSchema".into(), schema);
                // MCP 2025-06-18, "Output Schema": the root has to be an object.
                if let Some(schema) = output_schema.filter(|schema| schema["type"] == "object") {
                    named.insert("outputSchema".into(), schema.clone());
                }
                annotate(&mut named, spec);
                named.into()
            }
        }
    }

    /// The request's tools array from the definitions, which are in order.
    pub(crate) fn tools(self, definitions: Vec<Value>) -> Vec<Value> {
        match self {
            Self::Gemini if !definitions.is_empty() => vec![json!({ "functionDeclarations": definitions })],
            _ => definitions,
        }
    }
}

/// MCP's title and hints.
fn annotate(tool: &mut Map<String, Value>, spec: &ToolSpec) {
    if let Some(title) = &spec.title {
        tool.insert("title".into(), title.as_ref().into());
    }
    let hints = [
        ("readOnlyHint", spec.hints.read_only),
        ("destructiveHint", spec.hints.destructive),
        ("idempotentHint", spec.hints.idempotent),
        ("openWorldHint", spec.hints.open_world),
    ];
    let said: Map<String, Value> =
        hints.into_iter().filter_map(|(key, hint)| Some((key.to_owned(), hint?.into()))).collect();
    if !said.is_empty() {
        tool.insert("annotations".into(), said.into());
    }
}

impl Outcome {
    /// The outcome alone in this dialect's form: the `tool` message, the `tool_result` block, the
    /// `functionResponse` part or the `CallToolResult`.
    pub fn to_message(&self, dialect: Dialect) -> Value {
        messages::one(dialect, self)
    }
}
