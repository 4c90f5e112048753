//! What is known of an artifact: the metadata of its object or, where a backend keeps none, a small JSON
//! object beside it, with the same keys and values.

use std::{borrow::Cow, collections::BTreeMap};

use object_store::{Attribute, Attributes};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use serde_json::{Map, Value};

use crate::{artifact::ArtifactMeta, policy::Trust};

/// Rises when the meaning of a key changes; a record of another format counts as unreadable.
const FORMAT: &str = "1";
/// S3 takes 2 KiB of metadata, keys included; the others take more.
const MAX_METADATA: usize = 1900;
/// Metadata travels in headers: what they cannot carry, and spaces, which signatures fold.
const UNSAFE: &AsciiSet = &CONTROLS.add(b' ').add(b'%');

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) meta: ArtifactMeta,
    /// SHA-256 of the artifact, 64 hexadecimal digits.
    pub(super) sha256: String,
    pub(super) bytes: u64,
    pub(super) chars: usize,
    /// Where the content lies, when not in the object that has the record.
    pub(super) body: Option<Body>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) token: String,
    /// As the backend gave it when the body was complete.
    pub(super) etag: Option<String>,
}

impl Record {
    /// Whether `other` is the same content from the same source.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.sha256 == other.sha256 && self.bytes == other.bytes && self.meta.is_same_but_for_time(&other.meta)
    }

    /// As metadata; `None` if it is too long for that.
    pub(super) fn to_attributes(&self) -> Option<Attributes> {
        let pairs = self.pairs();
        let length: usize = pairs.iter().map(|(key, value)| key.len() + value.len()).sum();
        let mut attributes = Attributes::with_capacity(pairs.len() + 1);
        for (key, value) in pairs {
            attributes.insert(Attribute::Metadata(Cow::Borrowed(key)), value.into());
        }
        attributes.insert(Attribute::ContentType, encode(&self.meta.media_type).replace("%20", " ").into());
        (length <= MAX_METADATA).then_some(attributes)
    }

    /// `None` when something is missing, or not as we write it.
    pub(super) fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Self::from_pairs(|key| attributes.get(&Attribute::Metadata(key.to_owned().into())).map(AsRef::as_ref))
    }

    pub(super) fn to_json(&self) -> String {
        let pairs = self.pairs().into_iter().map(|(key, value)| (key.to_owned(), Value::String(value)));
        Value::Object(pairs.collect::<Map<_, _>>()).to_string()
    }

    pub(super) fn from_json(text: &[u8]) -> Option<Self> {
        let pairs: BTreeMap<String, String> = serde_json::from_slice(text).ok()?;
        Self::from_pairs(|key| pairs.get(key).map(String::as_str))
    }

    /// The keys are single words, as Azure wants identifiers and proxies drop headers with `_`.
    fn pairs(&self) -> Vec<(&'static str, String)> {
        let Self { meta, sha256, bytes, chars, body } = self;
        let trust = match meta.trust {
            Trust::Trusted => "trusted",
            Trust::External => "external",
        };
        let mut pairs = vec![
            ("format", FORMAT.to_owned()),
            ("sha256", sha256.clone()),
            ("bytes", bytes.to_string()),
            ("chars", chars.to_string()),
            ("media", encode(&meta.media_type)),
            ("tool", encode(&meta.tool)),
            ("trust", trust.to_owned()),
            ("created", meta.created.to_string()),
        ];
        // A header without a value is not kept everywhere, hence the `=`.
        pairs.extend(meta.session.as_ref().map(|session| ("session", format!("={}", encode(session)))));
        if let Some(body) = body {
            pairs.push(("body", body.token.clone()));
            pairs.extend(body.etag.as_ref().map(|etag| ("etag", encode(etag))));
        }
        pairs
    }

    fn from_pairs<'a>(get: impl Fn(&'static str) -> Option<&'a str>) -> Option<Self> {
        let trust = match get("trust")? {
            "trusted" => Trust::Trusted,
            "external" => Trust::External,
            _ => return None,
        };
        let session = match get("session") {
            Some(session) => Some(decode(session.strip_prefix('=')?)?),
            None => None,
        };
        let body = match get("body") {
            // It becomes part of a key, so it may be nothing else.
            Some(token) if !is_hex(token, 32) => return None,
            Some(token) => Some(Body { token: token.to_owned(), etag: get("etag").and_then(decode) }),
            None => None,
        };
        let meta = ArtifactMeta::text(decode(get("tool")?)?, get("created")?.parse().ok()?).with_trust(trust);
        (get("format")? == FORMAT).then_some(Self {
            meta: ArtifactMeta { media_type: decode(get("media")?)?, session, ..meta },
            sha256: get("sha256").filter(|digits| is_hex(digits, 64))?.to_owned(),
            bytes: get("bytes")?.parse().ok()?,
            chars: get("chars")?.parse().ok()?,
            body,
        })
    }
}

pub(super) fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, UNSAFE).to_string()
}

fn decode(text: &str) -> Option<String> {
    Some(percent_decode_str(text).decode_utf8().ok()?.into_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn record(session: Option<&str>) -> Record {
        let meta = ArtifactMeta::json("näme\r\n\"  100%", u64::MAX).with_trust(Trust::External);
        Record {
            meta: ArtifactMeta { session: session.map(str::to_owned), ..meta },
            sha256: "ab".repeat(32),
            bytes: u64::MAX,
            chars: usize::MAX,
            body: Some(Body { token: "0c".repeat(16), etag: Some("W/\"5 é\"".into()) }),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for session in [None, Some(""), Some(" s/1 "), Some("セッション")] {
            let mut record = record(session);
            assert_eq!(Record::from_attributes(&record.to_attributes().unwrap()), Some(record.clone()));
            assert_eq!(Record::from_json(record.to_json().as_bytes()), Some(record.clone()));
            record.body = None;
            assert_eq!(Record::from_attributes(&record.to_attributes().unwrap()), Some(record));
        }
    }

    #[test]
    fn headers_can_carry_it() {
        for (attribute, value) in &record(Some("\0\u{7f}ß\t")).to_attributes().unwrap() {
            assert!(value.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{value:?}");
            let Attribute::Metadata(key) = attribute else { continue };
            assert!(key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()));
            assert!(!value.is_empty() && !value.contains(' '), "{value:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_no_metadata() {
        assert!(record(Some(&"s".repeat(1000))).to_attributes().is_some());
        let long = record(Some(&"é".repeat(1000)));
        assert_eq!(long.to_attributes(), None);
        assert_eq!(Record::from_json(long.to_json().as_bytes()), Some(long));
    }

    #[test]
    fn anything_else_is_unreadable() {
        let text = record(Some("s")).to_json();
        for (from, to) in [
            ("\"format\":\"1\"", "\"format\":\"2\""),
            ("\"external\"", "\"TRUSTED\""),
            ("\"=s\"", "\"s\""),
            ("\"tool\"", "\"tolo\""),
            ("\"abab", "\"ABab"),
            ("\"0c0c", "\"../c"),
            ("{", "["),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text);
            assert_eq!(Record::from_json(changed.as_bytes()), None, "{changed}");
        }
        assert_eq!(Record::from_json(b""), None);
        assert_eq!(Record::from_attributes(&Attributes::new()), None);
    }
}
