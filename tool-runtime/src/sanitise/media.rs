//! Media types that a tool declares.

use std::borrow::Cow;

/// A media type as RFC 6838 allows it, with simple parameters; anything else is `application/octet-stream`.
pub(crate) fn media_type(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    Cow::Borrowed(if is_media_type(text) { text } else { "application/octet-stream" })
}

fn is_media_type(text: &str) -> bool {
    let mut parts = text.split(';');
    let names = parts.next().and_then(|essence| essence.trim_end().split_once('/'));
    names.is_some_and(|(kind, subtype)| is_name(kind) && is_name(subtype))
        && parts.all(|parameter| {
            parameter.trim().split_once('=').is_some_and(|(key, value)| is_name(key) && is_value(value))
        })
        && text.len() <= 255
}

/// `restricted-name` of RFC 6838.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.len() <= 127 && text.bytes().all(is_name_byte)
}

/// A token, or one in quotes.
fn is_value(text: &str) -> bool {
    let bare = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text);
    !bare.is_empty() && bare.bytes().all(|byte| is_name_byte(byte) || matches!(byte, b'*' | b'\'' | b'/' | b':' | b','))
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'!' | b'#' | b'$' | b'&' | b'-' | b'^' | b'_' | b'.' | b'+')
}

#[cfg(test)]
mod tests {
    use super::media_type;

    #[test]
    fn well_formed_types_stay() {
        for text in ["image/png", "text/html; charset=utf-8", "application/vnd.api+json", "audio/ogg;codecs=\"opus\""] {
            assert_eq!(media_type(text), text);
        }
        assert_eq!(media_type(" image/png "), "image/png");
    }

    #[test]
    fn anything_else_is_bytes() {
        for text in
            ["", "image", "image/", "/png", "image/png; </external_tool_result>", "a/b\nc", "a/b;", "ä/b", "a b/c"]
        {
            assert_eq!(media_type(text), "application/octet-stream", "{text:?}");
        }
    }
}
