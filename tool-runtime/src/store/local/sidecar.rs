//! What is known of an artifact, in a hidden file beside it: `.{id}.meta`.

use std::os::unix::fs::FileExt;

use serde_json::{Map, Value, json};

use super::directory::Directory;
use crate::{artifact::ArtifactMeta, policy::Trust, store::name};

/// Rises when the meaning of a field changes; a sidecar of another format counts as unreadable.
const FORMAT: u64 = 1;
/// No sidecar of ours is longer, unless a tool's or session's name is absurd.
const MAX_BYTES: usize = 64 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sidecar {
    pub(super) meta: ArtifactMeta,
    /// SHA-256 of the artifact, 64 hexadecimal digits.
    pub(super) sha256: String,
    pub(super) bytes: u64,
    pub(super) chars: usize,
}

pub(super) fn file_name(id: &str) -> String {
    format!(".{id}.meta")
}

/// The id that a sidecar's file name belongs to.
pub(super) fn owner(file_name: &str) -> Option<&str> {
    let id = file_name.strip_prefix('.')?.strip_suffix(".meta")?;
    name::parse(id).map(|_| id)
}

impl Sidecar {
    /// `None` when it is missing, unreadable or not as we write it.
    pub(super) fn load(directory: &Directory, id: &str) -> Option<Self> {
        let file = directory.open_file(&file_name(id)).ok()?;
        let size = usize::try_from(file.metadata().ok()?.len()).ok().filter(|size| *size <= MAX_BYTES)?;
        let mut text = vec![0; size];
        file.read_exact_at(&mut text, 0).ok()?;
        Self::parse(&text)
    }

    pub(super) fn to_json(&self) -> String {
        json!({
            "format": FORMAT,
            "sha256": self.sha256,
            "bytes": self.bytes,
            "chars": self.chars,
            "media_type": self.meta.media_type,
            "tool": self.meta.tool,
            "trust": match self.meta.trust { Trust::Trusted => "trusted", Trust::External => "external" },
            "session": self.meta.session,
            "created": self.meta.created,
        })
        .to_string()
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let Ok(Value::Object(fields)) = serde_json::from_slice(text) else { return None };
        let number = |key| fields.get(key).and_then(Value::as_u64);
        let meta = ArtifactMeta::text(string(&fields, "tool")?, number("created")?).with_trust(trust(&fields)?);
        let session = match fields.get("session")? {
            Value::Null => None,
            Value::String(session) => Some(session.clone()),
            _ => return None,
        };
        (number("format")? == FORMAT).then_some(Self {
            meta: ArtifactMeta { media_type: string(&fields, "media_type")?, session, ..meta },
            sha256: string(&fields, "sha256")?,
            bytes: number("bytes")?,
            chars: usize::try_from(number("chars")?).ok()?,
        })
    }
}

fn string(fields: &Map<String, Value>, key: &str) -> Option<String> {
    fields.get(key)?.as_str().map(str::to_owned)
}

fn trust(fields: &Map<String, Value>) -> Option<Trust> {
    match fields.get("trust")?.as_str()? {
        "trusted" => Some(Trust::Trusted),
        "external" => Some(Trust::External),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn sidecar() -> Sidecar {
        let meta = ArtifactMeta::json("näme\n\"", u64::MAX).with_trust(Trust::External).with_session("s/1");
        Sidecar { meta, sha256: "ab".repeat(32), bytes: u64::MAX, chars: usize::MAX }
    }

    #[test]
    fn what_is_written_is_read() {
        for session in [None, Some(String::new()), Some("s".to_owned())] {
            let mut sidecar = sidecar();
            sidecar.meta.session = session;
            assert_eq!(Sidecar::parse(sidecar.to_json().as_bytes()), Some(sidecar));
        }
    }

    #[test]
    fn anything_else_is_unreadable() {
        let text = sidecar().to_json();
        for (from, to) in [
            ("\"format\":1", "\"format\":2"),
            ("\"external\"", "\"TRUSTED\""),
            ("\"session\"", "\"sessions\""),
            ("\"s/1\"", "3"),
            ("\"tool\"", "\"tolo\""),
            ("{", "["),
            ("}", ""),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text);
            assert_eq!(Sidecar::parse(changed.as_bytes()), None, "{changed}");
        }
        assert_eq!(Sidecar::parse(b""), None);
    }

    #[test]
    fn a_sidecar_belongs_to_a_valid_id_only() {
        assert_eq!(owner(&file_name("x_1_0123456789ab.txt")), Some("x_1_0123456789ab.txt"));
        assert_eq!(owner(".x.meta"), None);
        assert_eq!(owner("x_1_0123456789ab.txt.meta"), None);
    }
}
