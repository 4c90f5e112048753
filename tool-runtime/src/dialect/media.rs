//! Which media each provider takes in what answers a tool call, and how it wants them written.

use std::fmt::Write;

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use serde_json::{Value, json};

use crate::{
    media::{essence, file_ending, is_text},
    part::{MediaKind, Part, Remote, ResourceLink},
    policy::Trust,
};

/// Where a part comes from.
#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    pub(super) call_id: &'a str,
    /// Its place in the result.
    pub(super) index: usize,
    pub(super) trust: Trust,
}

/// A content part of a user message of a chat completion; `None` where there is none for it.
///
/// Images: PNG, JPEG, GIF and WebP, as bytes or by their address. Sound: WAV and MP3. Files: PDF.
pub(super) fn openai(part: &Part, origin: Origin<'_>) -> Option<Value> {
    if let Part::Remote(Remote { kind: MediaKind::Image, url, .. }) = part {
        return Some(json!({ "type": "image_url", "image_url": { "url": url } }));
    }
    let (kind, data, media_type) = part.media()?;
    let essence = essence(media_type);
    let url = || format!("data:{media_type};base64,{}", BASE64.encode(data));
    match (kind, &*essence) {
        (MediaKind::Image, _) if is_web_image(&essence) => {
            Some(json!({ "type": "image_url", "image_url": { "url": url() } }))
        }
        (MediaKind::Audio, "audio/wav" | "audio/wave" | "audio/x-wav") => Some(sound("wav", data)),
        (MediaKind::Audio, "audio/mpeg" | "audio/mp3") => Some(sound("mp3", data)),
        (MediaKind::File, "application/pdf") => {
            let file = json!({ "filename": file_name(part, origin.trust), "file_data": url() });
            Some(json!({ "type": "file", "file": file }))
        }
        _ => None,
    }
}

fn sound(format: &str, data: &[u8]) -> Value {
    json!({ "type": "input_audio", "input_audio": { "data": BASE64.encode(data), "format": format } })
}

fn is_web_image(essence: &str) -> bool {
    matches!(essence, "image/png" | "image/jpeg" | "image/gif" | "image/webp")
}

/// A block inside a `tool_result`; `None` where there is none for it.
///
/// Images: PNG, JPEG, GIF and WebP, as bytes or by their address. Documents: PDF, as bytes or by its address, and plain
/// text of trusted tools (that of others would stand outside the fence). No sound.
pub(super) fn anthropic(part: &Part, trust: Trust) -> Option<Value> {
    if let Part::Remote(remote) = part {
        let source = json!({ "type": "url", "url": remote.url });
        return match (remote.kind, remote.media_type.as_deref().map(essence).as_deref()) {
            (MediaKind::Image, _) => Some(json!({ "type": "image", "source": source })),
            (MediaKind::File, Some("application/pdf")) => Some(json!({ "type": "document", "source": source })),
            _ => None,
        };
    }
    let (kind, data, media_type) = part.media()?;
    let essence = essence(media_type);
    let bytes = || json!({ "type": "base64", "media_type": essence, "data": BASE64.encode(data) });
    let document = |source: Value| {
        let mut block = json!({ "type": "document", "source": source });
        if let (Part::File { name, .. }, Trust::Trusted) = (part, trust) {
            if !name.is_empty() {
                block["title"] = name.as_str().into();
            }
        }
        block
    };
    match kind {
        MediaKind::Image if is_web_image(&essence) => Some(json!({ "type": "image", "source": bytes() })),
        MediaKind::File if essence == "application/pdf" => Some(document(bytes())),
        MediaKind::File if is_text(media_type) && trust == Trust::Trusted => {
            let text = std::str::from_utf8(data).ok().filter(|text| !text.trim().is_empty())?;
            Some(document(json!({ "type": "text", "media_type": "text/plain", "data": text })))
        }
        MediaKind::Image | MediaKind::Audio | MediaKind::File => None,
    }
}

/// A part beside a `functionResponse`; `None` where there is none for it.
///
/// Images: PNG, JPEG, WebP, HEIC and HEIF. Sound: WAV, MP3, AIFF, AAC, Ogg and FLAC. Files: PDF, video, and text of
/// trusted tools. Addresses where their media type is told.
pub(super) fn gemini(part: &Part, trust: Trust) -> Option<Value> {
    if let Part::Remote(remote) = part {
        let media_type = remote.media_type.as_deref().filter(|media_type| is_for_gemini(remote.kind, media_type))?;
        return Some(json!({ "fileData": { "mimeType": media_type, "fileUri": remote.url } }));
    }
    let (kind, data, media_type) = part.media()?;
    let is_readable = trust == Trust::Trusted && kind == MediaKind::File && is_text(media_type);
    let is_taken = is_for_gemini(kind, media_type) || (is_readable && std::str::from_utf8(data).is_ok());
    // Of the types of text it knows only some, and each is text.
    let media_type = if is_readable { "text/plain" } else { media_type };
    is_taken.then(|| json!({ "inlineData": { "mimeType": media_type, "data": BASE64.encode(data) } }))
}

fn is_for_gemini(kind: MediaKind, media_type: &str) -> bool {
    let essence = essence(media_type);
    match kind {
        MediaKind::Image => {
            matches!(&*essence, "image/png" | "image/jpeg" | "image/webp" | "image/heic" | "image/heif")
        }
        MediaKind::Audio => matches!(
            &*essence,
            "audio/wav" | "audio/mp3" | "audio/mpeg" | "audio/aiff" | "audio/aac" | "audio/ogg" | "audio/flac"
        ),
        MediaKind::File => essence == "application/pdf" || essence.starts_with("video/"),
    }
}

/// A content block of a `CallToolResult`: there is one for every kind. Media at an address are links there, and files
/// embedded resources with a URI that only tells them apart.
pub(super) fn mcp(part: &Part, origin: Origin<'_>) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Image { data, media_type } => {
            json!({ "type": "image", "data": BASE64.encode(data), "mimeType": media_type })
        }
        Part::Audio { data, media_type } => {
            json!({ "type": "audio", "data": BASE64.encode(data), "mimeType": media_type })
        }
        Part::File { data, media_type, .. } => {
            let name = file_name(part, Trust::Trusted);
            let Origin { call_id, index, trust } = origin;
            let uri = format!("tool-result:///{}/{index}/{}", segment(call_id), segment(&name));
            let mut resource = json!({ "uri": uri, "mimeType": media_type });
            // Text of an outsider stays closed: as text it would be read without a fence.
            let text = std::str::from_utf8(data).ok().filter(|_| is_text(media_type) && trust == Trust::Trusted);
            match text {
                Some(text) => resource["text"] = text.into(),
                None => resource["blob"] = BASE64.encode(data).into(),
            }
            json!({ "type": "resource", "resource": resource })
        }
        Part::Remote(Remote { kind, url, name, media_type }) => {
            let name = name.as_deref().filter(|name| !name.is_empty()).unwrap_or_else(|| kind.name());
            link(url, name, media_type.as_deref(), None)
        }
        Part::ResourceLink(ResourceLink { uri, name, media_type, description }) => {
            link(uri, name, media_type.as_deref(), description.as_deref())
        }
    }
}

fn link(uri: &str, name: &str, media_type: Option<&str>, description: Option<&str>) -> Value {
    let mut link = json!({ "type": "resource_link", "uri": uri, "name": name });
    if let Some(media_type) = media_type {
        link["mimeType"] = media_type.into();
    }
    if let Some(description) = description {
        link["description"] = description.into();
    }
    link
}

/// The file's name; where nobody may choose one, or did, ours.
fn file_name(part: &Part, trust: Trust) -> String {
    match part {
        Part::File { name, .. } if !name.is_empty() && trust == Trust::Trusted => name.clone(),
        _ => format!("file.{}", part.media().map_or("bin", |(.., media_type)| file_ending(media_type))),
    }
}

/// As one segment of a URI's path.
fn segment(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut segment, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            segment.push(char::from(byte));
        } else {
            // Writing to a `String` can't fail.
            let _ = write!(segment, "%{byte:02X}");
        }
        segment
    })
}
