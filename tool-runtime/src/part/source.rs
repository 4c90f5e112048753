//! The forms that media come in beside bytes: Base64 text, `data:` URLs, and addresses.

use std::borrow::Cow;

use base64::{
    Engine,
    alphabet::{STANDARD, URL_SAFE},
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

use super::error::{PartError, quoted};

const CONFIG: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const PLAIN: GeneralPurpose = GeneralPurpose::new(&STANDARD, CONFIG);
const URLS: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, CONFIG);

/// Bytes of the longest address: 8 KiB.
const MOST: usize = 8 * 1024;

/// Reads Base64 of either alphabet, padded or not. White space is skipped: lines of 64 or 76 characters are common.
pub(super) fn base64(text: &str) -> Result<Vec<u8>, PartError> {
    let mut alphabet = None;
    for (index, c) in text.char_indices() {
        match c {
            '+' | '/' | '-' | '_' => {
                let of_urls = matches!(c, '-' | '_');
                if *alphabet.get_or_insert(of_urls) != of_urls {
                    let message = "the Base64 text mixes the standard alphabet (`+`, `/`) with the URL-safe one \
                                   (`-`, `_`); write it in one of them";
                    return Err(PartError::base64(message));
                }
            }
            'A'..='Z' | 'a'..='z' | '0'..='9' | '=' | ' ' | '\t' | '\r' | '\n' => {}
            _ => {
                let hint = match text.get(..5) {
                    Some(scheme) if scheme.eq_ignore_ascii_case("data:") => "; a `data:` URL goes into `…_url`",
                    _ => "; write Base64 of the bytes (A-Z, a-z, 0-9, `+`, `/`)",
                };
                let c = quoted(c.encode_utf8(&mut [0; 4]));
                return Err(PartError::base64(format!("{c} at byte {index} is no Base64{hint}")));
            }
        }
    }
    let dense: Cow<'_, str> = if text.bytes().any(|byte| byte.is_ascii_whitespace()) {
        text.split_ascii_whitespace().collect::<String>().into()
    } else {
        text.into()
    };
    let engine = if alphabet == Some(true) { &URLS } else { &PLAIN };
    engine.decode(&*dense).map_err(|_| {
        let digits = dense.trim_end_matches('=').len();
        let message = if digits % 4 == 1 {
            format!(
                "the Base64 text is cut off: it has {digits} characters, one more than a multiple of 4; write all of it"
            )
        } else {
            "the Base64 text has padding (`=`) in its middle, too much of it, or ends inside a byte; write Base64 of \
             the bytes, padded with at most two `=` at its end"
                .to_owned()
        };
        PartError::base64(message)
    })
}

/// What a URL stands for.
#[derive(Debug)]
pub(super) enum Source {
    /// The bytes of a `data:` URL, with the media type that it names.
    Data { bytes: Vec<u8>, media_type: Option<String> },
    /// An address; nothing is fetched.
    Address,
}

pub(super) fn url(text: &str) -> Result<Source, PartError> {
    let Some((scheme, rest)) = text.split_once(':') else {
        let message = format!("{} is no URL; write `https://…`, `http://…` or `data:…`", quoted(text));
        return Err(PartError::url(message));
    };
    if scheme.eq_ignore_ascii_case("data") {
        return data(rest);
    }
    if !(scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")) {
        let message = format!(
            "a provider fetches no {} URL; write `https://…`, `http://…` or `data:…`, or refer to it with \
             `Part::resource_link`",
            quoted(scheme)
        );
        return Err(PartError::url(message));
    }
    let host = rest.strip_prefix("//").map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    if host.is_none_or(|host| host.is_empty() || host.ends_with('@') || host.starts_with(':')) {
        return Err(PartError::url(format!("{} names no host; write `https://host/path`", quoted(text))));
    }
    uri(text)?;
    Ok(Source::Address)
}

/// The characters of RFC 3986 behind a scheme.
pub(super) fn uri(text: &str) -> Result<(), PartError> {
    let scheme = text.split_once(':').map(|(scheme, _)| scheme);
    let is_scheme = scheme.is_some_and(|scheme| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    });
    if !is_scheme {
        let message = format!("{} is no URI; write it with its scheme, for example `file:///…`", quoted(text));
        return Err(PartError::url(message));
    }
    if text.len() > MOST {
        return Err(PartError::url(format!(
            "the URI has {} bytes, and at most {MOST} are taken; give the content itself",
            text.len()
        )));
    }
    match text.char_indices().find(|(_, c)| !is_uri_char(*c)) {
        None => Ok(()),
        Some((index, c)) => {
            let escaped: String = c.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("%{byte:02X}")).collect();
            let c = quoted(c.encode_utf8(&mut [0; 4]));
            Err(PartError::url(format!("{c} at byte {index} may not stand in a URI; write `{escaped}`")))
        }
    }
}

fn is_uri_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c)
}

/// What follows `data:`, by RFC 2397.
fn data(rest: &str) -> Result<Source, PartError> {
    let Some((head, body)) = rest.split_once(',') else {
        let message = "the `data:` URL has no comma before its data; write `data:image/png;base64,…`";
        return Err(PartError::url(message));
    };
    let (head, is_base64) = match head.rsplit_once(';') {
        Some((head, last)) if last.trim().eq_ignore_ascii_case("base64") => (head, true),
        _ => (head, false),
    };
    let bytes = percent_decoded(body)?;
    let bytes = if is_base64 {
        let text = String::from_utf8(bytes.into_owned())
            .map_err(|_| PartError::base64("the data of the `data:` URL is no Base64; write Base64 of the bytes"))?;
        base64(&text)?
    } else {
        bytes.into_owned()
    };
    let head = head.trim();
    let media_type = match head {
        "" => None,
        // A type that is left out is `text/plain`.
        _ if head.starts_with(';') => Some(format!("text/plain{head}")),
        _ => Some(head.to_owned()),
    };
    Ok(Source::Data { bytes, media_type })
}

fn percent_decoded(text: &str) -> Result<Cow<'_, [u8]>, PartError> {
    if !text.contains('%') {
        return Ok(text.as_bytes().into());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        if byte != b'%' {
            bytes.push(byte);
            rest = after;
            continue;
        }
        let digit = |at: usize| after.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        let (Some(high), Some(low)) = (digit(0), digit(1)) else {
            let message = "a `%` in the `data:` URL is not followed by two hexadecimal digits; write `%25` for `%`";
            return Err(PartError::url(message));
        };
        bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
        rest = &after[2..];
    }
    Ok(bytes.into())
}
