//! What each dialect calls a tool. A registry allows more than most providers; the way back is never ambiguous, in
//! whichever dialect a call comes.

use std::{borrow::Cow, fmt::Write as _, sync::Arc};

use sha2::{Digest as _, Sha256};

use super::Dialect;
use crate::index::Places;

/// The names of one tool, in the order of [`Dialect::ALL`]; `None` where all dialects call it by its own.
pub(crate) type WireNames = Option<Arc<[Box<str>]>>;

/// Longest name that is mapped to, in characters; all of them are ASCII.
const MAX: usize = 64;
/// Characters that are kept before the digits of a hash.
const KEPT: usize = 56;

impl Dialect {
    /// Whether the character may stand in a tool's name; `first` is the first one.
    fn takes(self, c: char, first: bool) -> bool {
        match self {
            Self::OpenAiChat | Self::Anthropic => c.is_ascii_alphanumeric() || matches!(c, '_' | '-'),
            Self::Gemini if first => c.is_ascii_alphabetic() || c == '_',
            Self::Gemini => c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '-'),
            Self::Mcp => true,
        }
    }

    /// The name as close to the registered one as this dialect takes it.
    fn nearest_name(self, name: &str) -> Cow<'_, str> {
        let is_short = self == Self::Mcp || name.len() <= MAX;
        if is_short && name.char_indices().all(|(index, c)| self.takes(c, index == 0)) {
            return name.into();
        }
        let mut mapped: String = name.chars().map(|c| if self.takes(c, false) { c } else { '_' }).collect();
        if mapped.chars().next().is_some_and(|first| !self.takes(first, true)) {
            mapped.insert(0, '_');
        }
        if mapped.len() <= MAX { mapped.into() } else { hashed(&mapped, name).into() }
    }
}

/// The mapped name with seven digits of the registered one's SHA-256.
fn hashed(mapped: &str, name: &str) -> String {
    let mut text: String = mapped.chars().take(KEPT).collect();
    text.push('_');
    for byte in &Sha256::digest(name)[..4] {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text.pop();
    text
}

/// The names of all tools of a registry. An error is the name of a tool for which nothing is left.
pub(crate) fn wire_names(tools: &[&str]) -> Result<Vec<WireNames>, String> {
    // Whose each name is, and which names are wanted by more than one.
    let (mut claims, mut shared) = (Places::new(), Places::new());
    let mut owners = Places::new();
    for (index, name) in tools.iter().enumerate() {
        owners.insert((*name).to_owned(), index);
        let nearest = Dialect::ALL.map(|dialect| dialect.nearest_name(name));
        for name in nearest.iter().map(AsRef::as_ref).chain([*name]) {
            if *claims.entry(name.to_owned()).or_insert(index) != index {
                shared.insert(name.to_owned(), index);
            }
        }
    }
    let mut all = Vec::with_capacity(tools.len());
    for (index, name) in tools.iter().enumerate() {
        let mut names = Vec::with_capacity(Dialect::ALL.len());
        for dialect in Dialect::ALL {
            let nearest = dialect.nearest_name(name);
            let is_shared = nearest != *name && shared.contains_key(&*nearest);
            let mapped = if is_shared { hashed(&nearest, name) } else { nearest.into_owned() };
            if *owners.entry(mapped.clone()).or_insert(index) != index {
                return Err((*name).to_owned());
            }
            names.push(mapped.into_boxed_str());
        }
        all.push(names.iter().any(|mapped| **mapped != **name).then(|| names.into()));
    }
    Ok(all)
}

/// What a dialect says against a name that it takes.
pub(super) fn doubt(dialect: Dialect, name: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (dialect == Dialect::Mcp && !name.chars().all(is_plain)).then(|| {
        format!("the name `{name}` should not contain spaces or other characters than A-Z a-z 0-9 _ - .; clients may refuse it")
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Dialect, WireNames, hashed, wire_names};

    fn of(names: &[WireNames], registered: &[&str], index: usize, dialect: Dialect) -> String {
        names[index].as_ref().map_or_else(|| registered[index].to_owned(), |all| all[dialect as usize].to_string())
    }

    fn mapped(name: &str, dialect: Dialect) -> String {
        of(&wire_names(&[name]).unwrap(), &[name], 0, dialect)
    }

    #[test]
    fn name_01_a_name_that_is_taken_stays() {
        assert!(wire_names(&["get_weather", "a-B_9"]).unwrap().iter().all(Option::is_none));
    }

    #[test]
    fn name_02_a_dot_becomes_an_underscore() {
        assert_eq!(mapped("weather.get", Dialect::OpenAiChat), "weather_get");
        assert_eq!(mapped("weather.get", Dialect::Anthropic), "weather_get");
        assert_eq!(mapped("weather.get", Dialect::Gemini), "weather.get");
    }

    #[test]
    fn name_03_mcp_takes_the_name_as_it_is() {
        for name in ["weather.get", "get weather", &"a".repeat(128)] {
            assert_eq!(mapped(name, Dialect::Mcp), name);
        }
    }

    #[test]
    fn name_05_a_long_name_ends_in_seven_digits_of_its_hash() {
        let long = "a".repeat(65);
        for dialect in [Dialect::OpenAiChat, Dialect::Anthropic, Dialect::Gemini] {
            // printf aaa… | sha256sum
            assert_eq!(mapped(&long, dialect), format!("{}_635361c", "a".repeat(56)));
        }
        assert_eq!(mapped(&"a".repeat(64), Dialect::OpenAiChat), "a".repeat(64));
    }

    #[test]
    fn name_06_gemini_begins_with_a_letter_or_an_underscore() {
        assert_eq!(mapped("1st", Dialect::Gemini), "_1st");
        assert_eq!(mapped("1st", Dialect::OpenAiChat), "1st");
    }

    #[test]
    fn names_that_would_be_one_are_kept_apart() {
        let registered = ["a b", "a.b", "a_b", "日本", "中国"];
        let names = wire_names(&registered).unwrap();
        for dialect in Dialect::ALL {
            let mut mapped: Vec<String> = (0..5).map(|index| of(&names, &registered, index, dialect)).collect();
            assert_eq!(mapped[2], "a_b");
            mapped.sort();
            mapped.dedup();
            assert_eq!(mapped.len(), 5, "{mapped:?}");
        }
        assert_eq!(of(&names, &registered, 1, Dialect::OpenAiChat), hashed("a_b", "a.b"));
    }

    #[test]
    fn no_name_means_two_tools_in_two_dialects() {
        // `1st` is `_1st` for Gemini, and `.1st` is that for the others.
        let registered = ["1st", ".1st"];
        let names = wire_names(&registered).unwrap();
        for dialect in Dialect::ALL {
            for other in Dialect::ALL {
                assert_ne!(of(&names, &registered, 0, dialect), of(&names, &registered, 1, other));
            }
        }
    }

    #[test]
    fn a_name_that_nothing_is_left_for_is_an_error() {
        let taken = hashed("a_b", "a.b");
        assert_eq!(wire_names(&["a.b", "a_b", &taken]), Err("a.b".to_owned()));
    }
}
