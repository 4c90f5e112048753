//! Media types as RFC 6838 writes them, and the file endings that go with them.

/// Bytes of the longest media type.
const LONGEST: usize = 255;

/// `type/subtype`, with simple parameters behind it.
pub(crate) fn is_media_type(text: &str) -> bool {
    if text.len() > LONGEST {
        return false;
    }
    let mut parts = text.split(';');
    let names = parts.next().and_then(|essence| essence.trim_end().split_once('/'));
    names.is_some_and(|(kind, subtype)| is_name(kind) && is_name(subtype))
        && parts.all(|parameter| {
            parameter.trim().split_once('=').is_some_and(|(key, value)| is_name(key) && is_value(value))
        })
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

/// `type/subtype` in lower case, without parameters.
pub(crate) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether it is text, by its name.
pub(crate) fn is_text(media_type: &str) -> bool {
    let essence = essence(media_type);
    essence.starts_with("text/")
        || essence.ends_with("+json")
        || essence.ends_with("+xml")
        || matches!(&*essence, "application/json" | "application/xml" | "application/yaml" | "application/javascript")
}

/// What a file of the type ends in, without the dot; `bin` for a type that is not listed, `txt` for unlisted text.
pub(crate) fn file_ending(media_type: &str) -> &'static str {
    let essence = essence(media_type);
    let listed = ENDINGS.iter().find(|(listed, _)| *listed == essence).map(|(_, ending)| *ending);
    listed.unwrap_or_else(|| match &*essence {
        _ if essence.ends_with("+json") => "json",
        _ if essence.ends_with("+xml") => "xml",
        _ if essence.starts_with("text/") => "txt",
        _ => "bin",
    })
}

/// The media type that a file ending stands for.
pub(crate) fn of_ending(ending: &str) -> Option<&'static str> {
    match ending {
        "txt" => Some("text/plain; charset=utf-8"),
        "bin" => Some("application/octet-stream"),
        _ => ENDINGS.iter().find(|(_, listed)| *listed == ending).map(|(media_type, _)| *media_type),
    }
}

/// The first of one ending is the type that the ending stands for.
const ENDINGS: &[(&str, &str)] = &[
    ("application/gzip", "gz"),
    ("application/json", "json"),
    ("application/pdf", "pdf"),
    ("application/xml", "xml"),
    ("application/yaml", "yaml"),
    ("application/zip", "zip"),
    ("audio/aac", "aac"),
    ("audio/flac", "flac"),
    ("audio/midi", "mid"),
    ("audio/mp4", "m4a"),
    ("audio/mpeg", "mp3"),
    ("audio/ogg", "ogg"),
    ("audio/opus", "opus"),
    ("audio/wav", "wav"),
    ("audio/wave", "wav"),
    ("audio/x-wav", "wav"),
    ("audio/webm", "weba"),
    ("image/apng", "apng"),
    ("image/avif", "avif"),
    ("image/bmp", "bmp"),
    ("image/gif", "gif"),
    ("image/heic", "heic"),
    ("image/heif", "heif"),
    ("image/jpeg", "jpg"),
    ("image/jxl", "jxl"),
    ("image/png", "png"),
    ("image/svg+xml", "svg"),
    ("image/tiff", "tiff"),
    ("image/webp", "webp"),
    ("image/x-icon", "ico"),
    ("text/css", "css"),
    ("text/csv", "csv"),
    ("text/html", "html"),
    ("text/markdown", "md"),
    ("text/xml", "xml"),
    ("video/mp4", "mp4"),
    ("video/webm", "webm"),
];

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_that_of_rfc_6838() {
        for text in ["image/png", "text/html; charset=utf-8", "application/vnd.api+json", "audio/ogg;codecs=\"opus\""] {
            assert!(is_media_type(text), "{text:?}");
        }
        for text in ["", "image", "image/", "/png", "image/png; <b>", "a/b\nc", "a/b;", "ä/b", "a b/c", " image/png"] {
            assert!(!is_media_type(text), "{text:?}");
        }
    }

    #[test]
    fn endings_go_there_and_back() {
        for (_, ending) in ENDINGS {
            assert_eq!(file_ending(of_ending(ending).unwrap()), *ending);
        }
        for (media_type, ending) in [
            ("IMAGE/PNG", "png"),
            ("text/plain; charset=utf-8", "txt"),
            ("text/x-log", "txt"),
            ("application/vnd.api+json", "json"),
            ("application/x-unheard-of", "bin"),
            ("", "bin"),
        ] {
            assert_eq!(file_ending(media_type), ending, "{media_type}");
        }
        assert_eq!((of_ending("exe"), of_ending("TXT")), (None, None));
    }
}
