//! From the name that the model wrote to the tool that it means. A similar name is suggested, never run.

use std::borrow::Cow;

use crate::index::{self, Places};

/// The names of a registry.
#[derive(Debug, Default)]
pub(crate) struct Names {
    exact: Places,
    /// By normalised spelling; [`SHARED`] where it is that of two tools.
    normalised: Places,
    /// In order, for suggestions.
    sorted: Vec<String>,
}

/// The place of no tool.
const SHARED: usize = usize::MAX;

/// A tool found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) index: usize,
    /// Whether the name had to be read differently.
    pub(crate) cleaned: bool,
}

impl Names {
    pub(crate) fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut all = Self::default();
        for (index, name) in names.enumerate() {
            all.put(index, name);
        }
        index::sort_by_text(&mut all.sorted, |name| name);
        all
    }

    fn put(&mut self, index: usize, name: &str) {
        self.exact.insert(name.to_owned(), index);
        let is_new = !self.normalised.contains_key(&normalise(name));
        self.normalised.insert(normalise(name), if is_new { index } else { SHARED });
        self.sorted.push(name.to_owned());
    }

    /// More names of a tool, those that dialects call it by. A tool's own name goes before.
    pub(crate) fn add(&mut self, index: usize, aliases: &[Box<str>]) {
        for alias in aliases {
            self.exact.entry(alias.to_string()).or_insert(index);
            let known = self.normalised.entry(normalise(alias)).or_insert(index);
            if *known != index {
                *known = SHARED;
            }
        }
    }

    /// The tool of exactly this name, or the only one whose spelling is the same after normalising.
    pub(crate) fn find(&self, name: &str) -> Option<Found> {
        if let Some(&index) = self.exact.get(name) {
            return Some(Found { index, cleaned: false });
        }
        let clean = clean(name);
        if let Some(&index) = self.exact.get(clean.as_ref()) {
            return Some(Found { index, cleaned: true });
        }
        let &index = self.normalised.get(&normalise(&clean)).filter(|&&index| index != SHARED)?;
        Some(Found { index, cleaned: true })
    }

    /// At most three names near `name`, the nearest first.
    pub(crate) fn nearest(&self, name: &str) -> Vec<&str> {
        // Nobody mistypes a name of this length; and the distance is quadratic.
        if name.len() > 256 {
            return Vec::new();
        }
        let wanted = normalise(&clean(name));
        // By distance and then by name, in which order they are looked at: each stands behind those as near.
        let mut near: Vec<(usize, &str)> = Vec::new();
        for known in &self.sorted {
            if let Some(distance) = distance(&wanted, &normalise(known)) {
                let place = near.iter().position(|(other, _)| *other > distance).unwrap_or(near.len());
                near.insert(place, (distance, known));
                near.truncate(3);
            }
        }
        near.into_iter().map(|(_, known)| known).collect()
    }

    pub(crate) fn sorted(&self) -> impl Iterator<Item = &str> {
        self.sorted.iter().map(String::as_str)
    }
}

/// Without what models and their chat templates put round a name: a `functions.` prefix, a control token or `()` behind.
fn clean(name: &str) -> Cow<'_, str> {
    let name = name.trim();
    let name = name.strip_prefix("functions.").unwrap_or(name);
    let name = name.find("<|").or_else(|| name.find("<｜")).map_or(name, |at| &name[..at]);
    let name = name.strip_suffix("()").unwrap_or(name);
    name.trim().into()
}

/// Without what models spell in other ways: case, `-`, `_`.
pub(crate) fn normalise(name: &str) -> String {
    let mut normalised = String::with_capacity(name.len());
    for character in name.chars().filter(|c| !matches!(c, '-' | '_')) {
        if character.is_ascii() {
            normalised.push(character.to_ascii_lowercase());
        } else {
            normalised.extend(character.to_lowercase());
        }
    }
    normalised
}

/// How far apart two normalised names are; `None` is too far to suggest. A name that is a whole word of the other
/// is near.
fn distance(wanted: &str, known: &str) -> Option<usize> {
    if wanted == known {
        return Some(0);
    }
    let edits = strsim::osa_distance(wanted, known);
    let allowed = (known.chars().count() / 4).clamp(1, 3);
    if edits <= allowed {
        return Some(edits);
    }
    let is_tail = wanted.len() >= 3 && (known.ends_with(wanted) || wanted.ends_with(known) && known.len() >= 3);
    is_tail.then_some(edits.max(4))
}

#[cfg(test)]
mod tests {
    use super::{Found, Names};

    fn names() -> Names {
        Names::new(["get_weather", "mcp_files__read", "mcp_files__write", "delete_user"].into_iter())
    }

    #[test]
    fn spelling_variants_of_one_name_are_found() {
        for name in [
            "getWeather",
            "get-weather",
            "GET_WEATHER",
            "functions.get_weather",
            "get_weather()",
            "get_weather<|channel|>commentary",
            "get_weather<｜tool▁sep｜>",
            " get_weather\n",
        ] {
            assert_eq!(names().find(name), Some(Found { index: 0, cleaned: true }), "{name}");
        }
        assert_eq!(names().find("get_weather"), Some(Found { index: 0, cleaned: false }));
    }

    #[test]
    fn a_similar_name_is_suggested_and_not_found() {
        assert_eq!(names().find("get_wether"), None);
        assert_eq!(names().nearest("get_wether"), ["get_weather"]);
        assert_eq!(names().nearest("read"), ["mcp_files__read"]);
        assert!(names().nearest("query_datasetjson").is_empty());
        assert!(names().nearest("").is_empty());
        assert!(names().nearest(&"get_weather".repeat(100)).is_empty());
    }

    #[test]
    fn two_tools_of_one_spelling_are_never_guessed() {
        let names = Names::new(["getUser", "get_user"].into_iter());
        assert_eq!(names.find("GetUser"), None);
        assert_eq!(names.nearest("GetUser"), ["getUser", "get_user"]);
        assert_eq!(names.find("get_user"), Some(Found { index: 1, cleaned: false }));
    }
}
