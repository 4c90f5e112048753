//! The keys of `#[tool(..)]`.

use proc_macro2::TokenStream;
use syn::{Expr, Ident, LitStr, Path, Result, parse::ParseStream};

use crate::{
    errors::Errors,
    form::{self, Choice, Limit, LoopKey, Timeout},
    keys, near,
    slot::Slot,
    synonyms,
};

/// Each key with the form in which it is written.
const KEYS: [(&str, &str); 25] = [
    ("name", "name = \"..\""),
    ("title", "title = \"..\""),
    ("description", "description = \"..\""),
    ("to_model_output", "to_model_output = path"),
    ("max_result_size", "max_result_size = 2000"),
    ("max_result_tokens", "max_result_tokens = 500"),
    ("max_media_bytes", "max_media_bytes = 1_000_000"),
    ("truncation", "truncation = head_tail"),
    ("keep", "keep = always"),
    ("external", "external"),
    ("handle", "handle = Name"),
    ("read_only", "read_only"),
    ("destructive", "destructive"),
    ("idempotent", "idempotent"),
    ("open_world", "open_world"),
    ("timeout", "timeout = \"30s\""),
    ("blocking", "blocking"),
    ("approval", "approval"),
    ("max_concurrent", "max_concurrent = 4"),
    ("retries", "retries = 2"),
    ("strict", "strict"),
    ("tags", "tags(\"..\")"),
    ("loop_key", "loop_key(parameter)"),
    ("output_schema", "output_schema = false"),
    ("crate", "crate = path"),
];

/// The keys of `#[tool(..)]` on an `impl` block.
const BLOCK_KEYS: [(&str, &str); 3] =
    [("prefix", "prefix = \"..\""), ("into", "into = name"), ("crate", "crate = path")];

#[derive(Default)]
pub(crate) struct Attr {
    /// What the block puts before the name.
    pub(crate) prefix: String,
    pub(crate) name: Slot<LitStr>,
    pub(crate) title: Slot<Expr>,
    pub(crate) description: Slot<Expr>,
    pub(crate) to_model_output: Slot<Expr>,
    pub(crate) max_result_size: Slot<Limit>,
    pub(crate) max_result_tokens: Slot<Expr>,
    pub(crate) max_media_bytes: Slot<Expr>,
    pub(crate) truncation: Slot<Choice>,
    pub(crate) keep: Slot<Choice>,
    pub(crate) external: Slot<()>,
    pub(crate) handle: Slot<Ident>,
    pub(crate) read_only: Slot<()>,
    pub(crate) destructive: Slot<()>,
    pub(crate) idempotent: Slot<()>,
    pub(crate) open_world: Slot<()>,
    pub(crate) timeout: Slot<Timeout>,
    pub(crate) blocking: Slot<()>,
    pub(crate) approval: Slot<()>,
    pub(crate) max_concurrent: Slot<Expr>,
    pub(crate) retries: Slot<Expr>,
    pub(crate) strict: Slot<()>,
    pub(crate) tags: Slot<Vec<LitStr>>,
    pub(crate) loop_key: Slot<LoopKey>,
    pub(crate) output_schema: Slot<()>,
    pub(crate) rt: Slot<Path>,
}

/// What is said of a whole block.
#[derive(Default)]
pub(crate) struct BlockAttr {
    pub(crate) prefix: Slot<LitStr>,
    pub(crate) into: Slot<Ident>,
    pub(crate) rt: Slot<Path>,
}

pub(crate) fn parse(args: TokenStream, errors: &mut Errors) -> Attr {
    let mut attr = Attr::default();
    keys::each(args, "description = \"..\"", errors, |key, input, errors| {
        let word = key.to_string();
        if let "prefix" | "into" = word.as_str() {
            let message =
                format!("`{key}` is said of all tools of a block; put it on the `#[tool]` of an `impl` block");
            return Err(syn::Error::new_spanned(key, message));
        }
        let form = form_of(key, &word, &KEYS)?;
        attr.set(key, &word, form, input, errors)
    });
    attr
}

pub(crate) fn parse_block(args: TokenStream, errors: &mut Errors) -> BlockAttr {
    let mut attr = BlockAttr::default();
    keys::each(args, "prefix = \"..\"", errors, |key, input, errors| {
        let word = key.to_string();
        if word != "crate" && KEYS.iter().any(|(known, _)| *known == word) {
            let message = format!("`{key}` is said of one tool; put it on the `#[tool]` of a function in the block");
            return Err(syn::Error::new_spanned(key, message));
        }
        let form = form_of(key, &word, &BLOCK_KEYS)?;
        match word.as_str() {
            "prefix" => attr.prefix.set(key, keys::text(key, input, form)?, errors),
            "into" => attr.into.set(key, keys::name(key, input, form)?, errors),
            _ => attr.rt.set(key, form::path(key, input, form)?, errors),
        }
        Ok(())
    });
    attr
}

/// How a known key is written.
fn form_of<'k>(key: &Ident, word: &str, keys: &[(&'static str, &'k str)]) -> Result<&'k str> {
    match keys.iter().find(|(known, _)| *known == word) {
        Some((_, form)) => Ok(form),
        None => {
            let known = keys.iter().map(|(known, _)| *known);
            if let Some(instead) = synonyms::elsewhere(word) {
                return Err(syn::Error::new_spanned(key, format!("`{key}` is no key of `#[tool]`; {instead}")));
            }
            let suggestion = match synonyms::of(word).filter(|key| known.clone().any(|known| known == *key)) {
                Some(key) => format!("did you mean `{key}`?"),
                None => near::suggestion(word, known),
            };
            Err(syn::Error::new_spanned(key, format!("`{key}` is no key of `#[tool]`; {suggestion}")))
        }
    }
}

impl Attr {
    fn set(&mut self, key: &Ident, word: &str, form: &str, input: ParseStream<'_>, errors: &mut Errors) -> Result<()> {
        match word {
            "name" => self.name.set(key, keys::text(key, input, form)?, errors),
            "title" => self.title.set(key, keys::value(key, input, form)?, errors),
            "description" => self.description.set(key, keys::value(key, input, form)?, errors),
            "to_model_output" => self.to_model_output.set(key, keys::name(key, input, form)?, errors),
            "max_result_size" => self.max_result_size.set(key, keys::value(key, input, form)?, errors),
            "max_result_tokens" => {
                let tokens = form::positive(key, input, form, "a number of tokens")?;
                self.max_result_tokens.set(key, tokens, errors);
            }
            "max_media_bytes" => self.max_media_bytes.set(key, form::bytes(key, input, form)?, errors),
            "truncation" => {
                let words =
                    [("head_tail", "HeadTail"), ("head", "Head"), ("fields", "Fields"), ("structure", "Structure")];
                self.truncation.set(key, form::choice(key, input, form, &words)?, errors);
            }
            "keep" => {
                let words = [("on_cut", "OnCut"), ("always", "Always")];
                self.keep.set(key, form::choice(key, input, form, &words)?, errors);
            }
            "handle" => self.handle.set(key, keys::name(key, input, form)?, errors),
            "crate" => self.rt.set(key, form::path(key, input, form)?, errors),
            "external" => self.external.set(key, keys::flag(key, input)?, errors),
            "read_only" => self.read_only.set(key, keys::flag(key, input)?, errors),
            "destructive" => self.destructive.set(key, keys::flag(key, input)?, errors),
            "idempotent" => self.idempotent.set(key, keys::flag(key, input)?, errors),
            "open_world" => self.open_world.set(key, keys::flag(key, input)?, errors),
            "blocking" => self.blocking.set(key, keys::flag(key, input)?, errors),
            "approval" => self.approval.set(key, keys::flag(key, input)?, errors),
            "strict" => self.strict.set(key, keys::flag(key, input)?, errors),
            "max_concurrent" => {
                let calls = form::positive(key, input, form, "a number of calls at the same time")?;
                self.max_concurrent.set(key, calls, errors);
            }
            "retries" => self.retries.set(key, form::retries(key, input, form)?, errors),
            "timeout" => self.timeout.set(key, form::timeout(&keys::text(key, input, form)?)?, errors),
            "loop_key" => self.loop_key.set(key, form::loop_key(key, input, form)?, errors),
            "tags" => self.tags.set(key, form::tags(key, input)?, errors),
            _ => self.output_schema.set(key, form::off(key, input, form)?, errors),
        }
        Ok(())
    }
}
