//! Words for a key that another library has, or that anybody might guess.

/// Each key with what else it might be called; `_` left out.
const SYNONYMS: [(&str, &[&str]); 19] = [
    ("name", &["id", "rename", "toolname", "function", "alias"]),
    ("title", &["label", "displayname", "heading"]),
    ("description", &["desc", "doc", "docs", "about", "help", "info", "text"]),
    (
        "to_model_output",
        &["hook", "view", "compact", "compactview", "summary", "summarize", "summarise", "modeloutput", "modelview"],
    ),
    (
        "max_result_size",
        &[
            "limit",
            "max",
            "size",
            "maxsize",
            "maxlen",
            "maxlength",
            "maxchars",
            "maxresult",
            "maxoutput",
            "maxoutputsize",
            "maxresultlen",
            "maxresultlength",
            "maxresultchars",
            "resultlimit",
            "charlimit",
        ],
    ),
    ("max_result_tokens", &["tokens", "maxtokens", "tokenlimit", "maxoutputtokens"]),
    ("truncation", &["truncate", "strategy", "cut", "truncationstrategy", "overflow"]),
    ("keep", &["save", "store", "artifact", "persist", "retain"]),
    ("external", &["trust", "trusted", "untrusted", "fence", "fenced", "unsafe", "sanitize", "sanitise"]),
    ("read_only", &["readonlyhint", "pure", "safe", "immutable"]),
    ("destructive", &["destructivehint", "dangerous", "mutating", "mutates", "writes"]),
    ("idempotent", &["idempotenthint", "repeatable"]),
    ("open_world", &["openworldhint", "network"]),
    ("timeout", &["deadline", "timelimit", "maxtime", "timeoutms", "timeoutsecs", "timeoutseconds"]),
    ("blocking", &["block", "spawnblocking", "cpubound"]),
    ("approval", &["confirm", "confirmation", "approve", "requiresapproval", "needsapproval", "permission"]),
    ("tags", &["tag", "category", "categories", "group", "groups", "labels", "toolset"]),
    ("handle", &["structname", "type", "unit"]),
    ("prefix", &["namespace"]),
];

/// The key that `word` may stand for.
pub(crate) fn of(word: &str) -> Option<&'static str> {
    let plain: String = word.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect();
    SYNONYMS.iter().find(|(_, words)| words.contains(&plain.as_str())).map(|(key, _)| *key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_leads_to_the_key() {
        for (word, key) in [
            ("max_size", Some("max_result_size")),
            ("maxLen", Some("max_result_size")),
            ("trust", Some("external")),
            ("view", Some("to_model_output")),
            ("readOnlyHint", Some("read_only")),
            ("colour", None),
        ] {
            assert_eq!(of(word), key, "{word}");
        }
    }

    #[test]
    fn a_word_has_one_meaning() {
        let mut words: Vec<&str> = SYNONYMS.iter().flat_map(|(_, words)| words.iter().copied()).collect();
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
    }
}
