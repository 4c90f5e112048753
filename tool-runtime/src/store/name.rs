//! Artifact ids: `{slug}_{unix_ts}_{sha256[..12]}.txt` (or what else their media type ends in), made and recognised. No file is opened here.

use crate::{artifact::ArtifactMeta, media, policy::Trust};

/// Bytes of a tool's name that an id keeps.
const SLUG_BYTES: usize = 48;
/// Hexadecimal digits of the hash that an id keeps.
pub(super) const DIGITS: usize = 12;
/// The highest number behind an id, `-9999`; a store with so many namesakes has another problem.
pub(super) const COPIES: u32 = 9999;

/// What an id says about its artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name<'a> {
    pub(super) slug: &'a str,
    /// Seconds since 1970-01-01 UTC.
    pub(super) created: u64,
    /// The first digits of the SHA-256.
    pub(super) digits: &'a str,
    /// As far as the ending tells.
    pub(super) media_type: &'static str,
}

impl Name<'_> {
    /// What an id alone tells. The text counts as external, and belongs to no session.
    pub(super) fn meta(self) -> ArtifactMeta {
        ArtifactMeta { media_type: self.media_type.into(), ..ArtifactMeta::text(self.slug, self.created) }
            .with_trust(Trust::External)
    }
}

/// The ids that an artifact may get, in the order to try them: the plain one, then `-2`, `-3`, ….
pub(super) fn candidates(meta: &ArtifactMeta, digits: &str) -> impl Iterator<Item = String> {
    let stem = format!("{}_{}_{digits}", slug_of(&meta.tool), meta.created);
    let ending = media::file_ending(&meta.media_type);
    (1..=COPIES).map(move |copy| match copy {
        1 => format!("{stem}.{ending}"),
        copy => format!("{stem}-{copy}.{ending}"),
    })
}

/// Takes an id apart; `None` for whatever [`candidates`] cannot have made.
pub(super) fn parse(id: &str) -> Option<Name<'_>> {
    let (stem, ending) = id.rsplit_once('.')?;
    let media_type = media::of_ending(ending)?;
    let (stem, end) = stem.rsplit_once('_')?;
    let (slug, created) = stem.rsplit_once('_')?;
    let (digits, copy) = end.split_at_checked(DIGITS)?;
    let plain = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && (copy.is_empty() || matches!(canonical(copy.strip_prefix('-')?)?, 2..=9999))
        && slug.len() <= SLUG_BYTES
        && slug_of(slug) == slug;
    plain.then_some(Name { slug, created: canonical(created)?, digits, media_type })
}

/// A decimal number in its only spelling: no sign, no leading zero.
fn canonical(text: &str) -> Option<u64> {
    let only_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let padded = text.len() > 1 && text.starts_with('0');
    if only_digits && !padded { text.parse().ok() } else { None }
}

/// Reduces a tool's name to what is safe in a file name anywhere: `[a-z0-9_-]`, at most 48 bytes, not
/// empty, no leading `-`, no device name of Windows.
pub(super) fn slug_of(tool: &str) -> String {
    let mut slug = String::with_capacity(tool.len().min(SLUG_BYTES));
    let mut gap = false;
    for character in tool.chars() {
        let character = character.to_ascii_lowercase();
        if !matches!(character, 'a'..='z' | '0'..='9' | '_' | '-') {
            gap = true;
            continue;
        }
        if slug.is_empty() && character == '-' {
            continue;
        }
        // A run of other characters becomes one `_`, at the edges nothing.
        if gap && !slug.is_empty() {
            slug.push('_');
        }
        gap = false;
        slug.push(character);
        if slug.len() >= SLUG_BYTES {
            break;
        }
    }
    slug.truncate(SLUG_BYTES);
    if slug.is_empty() {
        slug.push_str("tool");
    } else if is_device(&slug) {
        slug.push_str("_tool");
    }
    slug
}

/// Names that Windows gives to devices, with any extension.
fn is_device(slug: &str) -> bool {
    match slug {
        "con" | "prn" | "aux" | "nul" => true,
        _ => matches!(
            slug.strip_prefix("com").or_else(|| slug.strip_prefix("lpt")).map(str::as_bytes),
            Some([b'0'..=b'9'])
        ),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn slugs_keep_good_names_and_tame_others() {
        for (tool, slug) in [
            ("query_database", "query_database"),
            ("_private-2", "_private-2"),
            ("GetWeather", "getweather"),
            ("../../x", "x"),
            ("/etc/passwd", "etc_passwd"),
            ("-rf", "rf"),
            ("--", "tool"),
            ("", "tool"),
            ("///", "tool"),
            ("天気", "tool"),
            ("CON", "con_tool"),
            ("con.", "con_tool"),
            ("COM\u{b9}", "com"),
            ("lpt9", "lpt9_tool"),
            ("com10", "com10"),
            ("a\0b", "a_b"),
            ("\u{202e}txt.exe", "txt_exe"),
            ("\u{212a}elvin", "elvin"),
        ] {
            assert_eq!(slug_of(tool), slug, "{tool:?}");
        }
        assert_eq!(slug_of(&"n".repeat(300)), "n".repeat(48));
    }

    #[test]
    fn only_ids_that_a_store_makes_are_ids() {
        for id in [
            "x_1_0123456789ab.txt",
            "x_1_0123456789ab.json",
            "x_1_0123456789ab.png",
            "x_1_0123456789ab-2.bin",
            "x_1_0123456789ab-2.txt",
            "query_database_1711900000_a1b2c3d4e5f6.txt",
            "_1_1_0123456789ab-9999.txt",
            "a-b_18446744073709551615_0123456789ab.txt",
        ] {
            assert!(parse(id).is_some(), "{id:?}");
        }
        for id in [
            "",
            ".",
            "..",
            "../secret",
            "/proc/self/environ",
            "/dev/stdin",
            ".tmp-1",
            ".x_1_0123456789ab.txt.meta",
            ".x_1_0123456789ab.txt",
            "x_1_0123456789ab\0.txt",
            "x_1_0123456789ab.txt\0",
            "x_1_0123456789ab.txt\n",
            " x_1_0123456789ab.txt",
            "x_1_0123456789ab.txt.txt",
            "x_1_0123456789ab.TXT",
            "x_1_0123456789ab.meta",
            "x_1_0123456789ab.exe",
            "x_1_0123456789ab.",
            "X_1_0123456789ab.txt",
            "x_1_0123456789AB.txt",
            "x_1_0123456789a.txt",
            "x_1_0123456789abc.txt",
            "x_1_0123456789ab-1.txt",
            "x_1_0123456789ab-02.txt",
            "x_1_0123456789ab-10000.txt",
            "x_1_0123456789ab-.txt",
            "x_1_0123456789ab--2.txt",
            "x_1_0123456789ab-+2.txt",
            "x_01_0123456789ab.txt",
            "x_+1_0123456789ab.txt",
            "x__0123456789ab.txt",
            "x_18446744073709551616_0123456789ab.txt",
            "_0123456789ab.txt",
            "1_0123456789ab.txt",
            "_1_0123456789ab.txt",
            "-x_1_0123456789ab.txt",
            "con_1_0123456789ab.txt",
            "x/y_1_0123456789ab.txt",
            "x\\y_1_0123456789ab.txt",
            "x_1_012345678é9a.txt",
        ] {
            assert_eq!(parse(id), None, "{id:?}");
        }
        assert_eq!(parse(&format!("{}_1_0123456789ab.txt", "a".repeat(49))), None);
        assert_eq!(parse(&"a".repeat(10_000)), None);
    }

    proptest! {
        #[test]
        fn every_made_id_is_an_id(tool in ".{0,80}", created: u64, json: bool, copy in 0_usize..20) {
            let meta = if json { ArtifactMeta::json(&*tool, created) } else { ArtifactMeta::text(&*tool, created) };
            let id = candidates(&meta, "0123456789ab").nth(copy).unwrap();
            let name = parse(&id).unwrap();
            prop_assert_eq!(name.created, created);
            prop_assert_eq!(name.digits, "0123456789ab");
            prop_assert_eq!(name.media_type == "application/json", json);
            prop_assert!(id.len() <= 120);
        }

        #[test]
        fn reducing_twice_changes_nothing(tool in "[-_a-zA-Z0-9./ é]{0,60}|(con|com1|LPT9|nul)\\.?") {
            let slug = slug_of(&tool);
            prop_assert_eq!(slug_of(&slug), slug.clone());
            prop_assert!(!slug.is_empty() && slug.len() <= 48 && !slug.starts_with('-'));
        }

        #[test]
        fn no_text_makes_parsing_panic(id in "\\PC{0,60}") {
            let _ = parse(&id);
        }
    }
}
