//! Outcomes as the provider wants them back.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use serde_json::{Value, json};

use super::Dialect;
use crate::{outcome::Outcome, output::Part};

pub(super) fn all(dialect: Dialect, outcomes: &[Outcome]) -> Vec<Value> {
    if outcomes.is_empty() {
        return Vec::new();
    }
    let each = outcomes.iter().map(|outcome| one(dialect, outcome));
    match dialect {
        Dialect::OpenAiChat => each.chain(openai_images(outcomes)).collect(),
        Dialect::Mcp => each.collect(),
        Dialect::Anthropic => vec![json!({ "role": "user", "content": each.collect::<Vec<_>>() })],
        Dialect::Gemini => {
            let images = outcomes.iter().flat_map(images).map(
                |(data, media_type)| json!({ "inlineData": { "mimeType": media_type, "data": BASE64.encode(data) } }),
            );
            vec![json!({ "role": "user", "parts": each.chain(images).collect::<Vec<_>>() })]
        }
    }
}

pub(super) fn one(dialect: Dialect, outcome: &Outcome) -> Value {
    match dialect {
        Dialect::OpenAiChat => {
            json!({ "role": "tool", "tool_call_id": outcome.call_id(), "content": outcome.model_text() })
        }
        Dialect::Anthropic => {
            let content = match outcome.shown.content {
                Some(_) => outcome.parts().iter().map(anthropic_block).collect(),
                None => outcome.model_text().into(),
            };
            let mut block = json!({ "type": "tool_result", "tool_use_id": outcome.call_id(), "content": Value::Null });
            block["content"] = content;
            if outcome.is_error() {
                block["is_error"] = true.into();
            }
            block
        }
        Dialect::Gemini => {
            let key = if outcome.is_error() { "error" } else { "output" };
            json!({ "functionResponse": {
                "id": outcome.call_id(),
                "name": outcome.wire_name(dialect as usize),
                "response": { key: outcome.model_text() },
            }})
        }
        Dialect::Mcp => {
            let content: Vec<Value> = outcome.parts().iter().map(mcp_block).collect();
            let mut result = json!({ "content": content, "isError": outcome.is_error() });
            match outcome.promised_json() {
                None => {}
                Some(Ok(value)) => result["structuredContent"] = value,
                Some(Err(why)) => result["_meta"] = json!({ STRUCTURED_CONTENT_LEFT_OUT: why }),
            }
            result
        }
    }
}

/// Says in `_meta` why a value that the output schema promised is not there.
const STRUCTURED_CONTENT_LEFT_OUT: &str = "tool-runtime/structuredContentLeftOut";

fn images(outcome: &Outcome) -> impl Iterator<Item = (&[u8], &str)> {
    outcome.shown.content.iter().flatten().filter_map(|part| match part {
        Part::Image { data, media_type } => Some((data.as_ref(), media_type.as_str())),
        Part::Text(_) => None,
    })
}

/// One `user` message with every image; a chat completion takes images from nobody else.
fn openai_images(outcomes: &[Outcome]) -> Option<Value> {
    let mut content = Vec::new();
    for outcome in outcomes {
        for (data, media_type) in images(outcome) {
            content.push(json!({ "type": "text", "text": format!("Image from tool call {}:", outcome.call_id()) }));
            let url = format!("data:{media_type};base64,{}", BASE64.encode(data));
            content.push(json!({ "type": "image_url", "image_url": { "url": url } }));
        }
    }
    (!content.is_empty()).then(|| json!({ "role": "user", "content": content }))
}

fn anthropic_block(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Image { data, media_type } => json!({
            "type": "image",
            "source": { "type": "base64", "media_type": media_type, "data": BASE64.encode(data) },
        }),
    }
}

fn mcp_block(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Image { data, media_type } => {
            json!({ "type": "image", "data": BASE64.encode(data), "mimeType": media_type })
        }
    }
}
