//! Words for a key that another library has, or that anybody might guess.

/// Each key with what else it might be called; `_` left out.
const SYNONYMS: [(&str, &[&str]); 21] = [
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
    ("max_concurrent", &["concurrency", "maxconcurrency", "concurrencylimit", "parallel", "parallelism"]),
    ("retries", &["retry", "maxretries", "attempts", "maxattempts"]),
];

/// The key that `word` may stand for.
pub(crate) fn of(word: &str) -> Option<&'static str> {
    let plain: String = word.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect();
    SYNONYMS.iter().find(|(_, words)| words.contains(&plain.as_str())).map(|(key, _)| *key)
}

/// What to write instead of a key that says what is said elsewhere.
pub(crate) fn elsewhere(word: &str) -> Option<&'static str> {
    Some(match word {
        "params" | "param" | "args" | "arguments" | "parameters" => {
            "a parameter is described where it stands; write a doc comment above it"
        }
        "schema" | "input_schema" | "parameters_schema" => {
            "the schema comes from the parameters' types; change it with `#[schemars(..)]` on a parameter"
        }
        "annotations" | "hints" => {
            "hints are keys themselves; write `read_only`, `destructive`, `idempotent` or `open_world`"
        }
        "rename_all" => "each parameter has its own name; write `#[serde(rename = \"..\")]` above it",
        "default" | "defaults" => {
            "a default belongs to its parameter; write `#[serde(default = \"function\")]` above it"
        }
        _ => return None,
    })
}

/// What to write instead of an attribute that a parameter can't have, where it can be told.
pub(crate) fn of_attribute(name: &str) -> Option<&'static str> {
    Some(match name {
        "description" | "desc" | "help" | "param" | "arg" => "write a doc comment above the parameter",
        "default" => "write `#[serde(default = \"function\")]`",
        "rename" | "alias" => "write `#[serde(rename = \"..\")]`",
        "range" | "length" | "regex" | "validate" => "write `#[schemars(..)]` with `range`, `length` or `regex` in it",
        "tool" => "write `#[inject]` for what the registry gives, and a doc comment to describe the parameter",
        "state" | "injected" | "context" | "ctx" | "extension" | "from_context" => "write `#[inject]`",
        _ => return None,
    })
}

/// What to write instead of a key of `#[serde(..)]` or `#[schemars(..)]`, where it can be told.
pub(crate) fn of_field_key(key: &str) -> Option<&'static str> {
    Some(match key {
        "minimum" | "maximum" | "min" | "max" => "write `#[schemars(range(min = .., max = ..))]`",
        "min_length" | "max_length" | "min_items" | "max_items" => "write `#[schemars(length(min = .., max = ..))]`",
        "pattern" => "write `#[schemars(regex(pattern = \"..\"))]`",
        "rename_all" => "write `#[serde(rename = \"..\")]` on the parameter",
        "flatten" => "write its fields as parameters of their own, or take the struct as one parameter",
        "skip" | "skip_deserializing" => {
            "write `#[inject]` for what the model does not give, or leave the parameter out"
        }
        _ => return None,
    })
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
