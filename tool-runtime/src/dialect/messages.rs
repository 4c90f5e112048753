//! Outcomes as the provider wants them back.

use serde_json::{Value, json};

use super::{
    Dialect,
    media::{self, Origin},
};
use crate::{content::Content, outcome::Outcome, part::Part, policy::Trust};

pub(super) fn all(dialect: Dialect, outcomes: &[Outcome]) -> Vec<Value> {
    if outcomes.is_empty() {
        return Vec::new();
    }
    let each = outcomes.iter().map(|outcome| one(dialect, outcome));
    match dialect {
        Dialect::OpenAiChat => each.chain(openai_media(outcomes)).collect(),
        Dialect::Mcp => each.collect(),
        Dialect::Anthropic => vec![json!({ "role": "user", "content": each.collect::<Vec<_>>() })],
        Dialect::Gemini => {
            let media = outcomes.iter().flat_map(gemini_parts);
            vec![json!({ "role": "user", "parts": each.chain(media).collect::<Vec<_>>() })]
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
                Some(_) => anthropic_blocks(outcome).into(),
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
            let mut response = json!({
                "id": outcome.call_id(),
                "name": outcome.wire_name(dialect as usize),
                "response": { key: outcome.model_text() },
            });
            // Not every model of this provider gives its calls an id; the name alone answers those.
            if let (true, Some(response)) = (outcome.call_id().is_empty(), response.as_object_mut()) {
                response.shift_remove("id");
            }
            json!({ "functionResponse": response })
        }
        Dialect::Mcp => {
            let content: Vec<Value> = match outcome.shown.content {
                Some(_) => parts(outcome).map(|(part, _, origin)| media::mcp(part, origin)).collect(),
                None => vec![json!({ "type": "text", "text": outcome.model_text() })],
            };
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

/// The parts of a multimodal result, each with the text that stands for it.
fn parts(outcome: &Outcome) -> impl Iterator<Item = (&Part, &str, Origin<'_>)> {
    let content = outcome.shown.content.as_ref();
    content.into_iter().flat_map(Content::iter).enumerate().map(move |(index, (part, line))| {
        let trust = content.map_or(Trust::External, Content::trust);
        (part, line, Origin { call_id: outcome.call_id(), index, trust })
    })
}

/// Says of a part that is media, and that a provider doesn't take, that it is missing. A link is text to it.
fn missing(part: &Part, call_id: &str) -> Option<String> {
    let kind = match part {
        Part::Text(_) | Part::ResourceLink(_) => return None,
        Part::Remote(remote) => remote.kind,
        Part::Image { .. } | Part::Audio { .. } | Part::File { .. } => part.media()?.0,
    };
    let of_type = part.media().map_or_else(String::new, |(.., media_type)| format!(" of type {media_type}"));
    Some(format!("[not shown: {kind:#}{of_type} from tool call {call_id}; it can't be given to you in this form]"))
}

/// One `user` message with all media; a chat completion takes media from nobody else. What it takes from nobody at all
/// is named, so that nobody waits for it.
fn openai_media(outcomes: &[Outcome]) -> Option<Value> {
    let mut content = Vec::new();
    for outcome in outcomes {
        let call_id = outcome.call_id();
        for (part, _, origin) in parts(outcome) {
            match media::openai(part, origin) {
                Some(media) => {
                    let what = match media["type"].as_str() {
                        Some("input_audio") => "Audio",
                        Some("file") => "File",
                        _ => "Image",
                    };
                    content.push(json!({ "type": "text", "text": format!("{what} from tool call {call_id}:") }));
                    content.push(media);
                }
                None => content.extend(missing(part, call_id).map(|text| json!({ "type": "text", "text": text }))),
            }
        }
    }
    (!content.is_empty()).then(|| json!({ "role": "user", "content": content }))
}

fn anthropic_blocks(outcome: &Outcome) -> Vec<Value> {
    let text = |text: String| json!({ "type": "text", "text": text });
    let mut blocks = Vec::new();
    for (part, line, Origin { trust, call_id, .. }) in parts(outcome) {
        match (media::anthropic(part, trust), part) {
            // The name that an outsider chose has no place but its fence.
            (Some(media), Part::File { name, .. }) if trust == Trust::External && !name.is_empty() => {
                blocks.extend([text(line.to_owned()), media]);
            }
            (Some(media), _) => blocks.push(media),
            (None, _) => {
                let missing = missing(part, call_id).map_or_else(String::new, |missing| format!("\n{missing}"));
                blocks.push(text(format!("{line}{missing}")));
            }
        }
    }
    blocks
}

/// Media go beside the response, which is text.
fn gemini_parts(outcome: &Outcome) -> Vec<Value> {
    let beside = |(part, _, origin): (&Part, &str, Origin<'_>)| {
        media::gemini(part, origin.trust).or_else(|| missing(part, origin.call_id).map(|text| json!({ "text": text })))
    };
    parts(outcome).filter_map(beside).collect()
}
