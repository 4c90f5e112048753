//! The keys of `#[tool(..)]`.

use proc_macro2::TokenStream;
use syn::{
    Expr, ExprLit, ExprUnary, Ident, Lit, LitBool, LitStr, Path, Result, Token, UnOp,
    ext::IdentExt,
    parse::{Parse, ParseStream, Parser},
    spanned::Spanned,
};

use crate::{errors::Errors, keys, near, slot::Slot, synonyms};

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

/// What the loop guard compares.
pub(crate) enum LoopKey {
    Only(Vec<LitStr>),
    Except(Vec<LitStr>),
    By(Expr),
}

/// In milliseconds.
pub(crate) struct Timeout(pub(crate) u64);

/// The value of `max_result_size`.
pub(crate) enum Limit {
    None,
    Chars(Expr),
}

/// One word of a few: the variant of a runtime enum, blamed on the user's token.
pub(crate) struct Choice(pub(crate) Ident);

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
            _ => attr.rt.set(key, path(key, input, form)?, errors),
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
                let tokens = positive(key, input, form, "a number of tokens")?;
                self.max_result_tokens.set(key, tokens, errors);
            }
            "max_media_bytes" => self.max_media_bytes.set(key, bytes(key, input, form)?, errors),
            "truncation" => {
                let words =
                    [("head_tail", "HeadTail"), ("head", "Head"), ("fields", "Fields"), ("structure", "Structure")];
                self.truncation.set(key, choice(key, input, form, &words)?, errors);
            }
            "keep" => {
                let words = [("on_cut", "OnCut"), ("always", "Always")];
                self.keep.set(key, choice(key, input, form, &words)?, errors);
            }
            "handle" => self.handle.set(key, keys::name(key, input, form)?, errors),
            "crate" => self.rt.set(key, path(key, input, form)?, errors),
            "external" => self.external.set(key, keys::flag(key, input)?, errors),
            "read_only" => self.read_only.set(key, keys::flag(key, input)?, errors),
            "destructive" => self.destructive.set(key, keys::flag(key, input)?, errors),
            "idempotent" => self.idempotent.set(key, keys::flag(key, input)?, errors),
            "open_world" => self.open_world.set(key, keys::flag(key, input)?, errors),
            "blocking" => self.blocking.set(key, keys::flag(key, input)?, errors),
            "approval" => self.approval.set(key, keys::flag(key, input)?, errors),
            "strict" => self.strict.set(key, keys::flag(key, input)?, errors),
            "max_concurrent" => {
                let calls = positive(key, input, form, "a number of calls at the same time")?;
                self.max_concurrent.set(key, calls, errors);
            }
            "retries" => self.retries.set(key, retries(key, input, form)?, errors),
            "timeout" => self.timeout.set(key, timeout(&keys::text(key, input, form)?)?, errors),
            "loop_key" => self.loop_key.set(key, loop_key(key, input, form)?, errors),
            "tags" => self.tags.set(key, tags(key, input)?, errors),
            _ => self.output_schema.set(key, off(key, input, form)?, errors),
        }
        Ok(())
    }
}

impl Parse for Limit {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let expr: Expr = input.parse()?;
        match &expr {
            Expr::Path(path) if path.path.is_ident("none") => Ok(Self::None),
            Expr::Path(path) if ["None", "unlimited", "off"].iter().any(|word| path.path.is_ident(word)) => Err(
                syn::Error::new_spanned(path, "`max_result_size` is a number of characters; write `none` for no limit"),
            ),
            Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) if !matches!(number.suffix(), "" | "usize") => {
                let digits = number.base10_digits();
                Err(syn::Error::new_spanned(
                    number,
                    format!(
                        "`max_result_size` is a number of characters, a `usize`; write `max_result_size = {digits}`"
                    ),
                ))
            }
            Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) if number.base10_digits().bytes().all(|b| b == b'0') => {
                Err(syn::Error::new_spanned(
                    number,
                    "`max_result_size` is 0, the model would read nothing; give a number of characters, or `none` for \
                     no limit",
                ))
            }
            Expr::Lit(ExprLit { lit: Lit::Int(_), .. }) => Ok(Self::Chars(expr)),
            Expr::Lit(_) | Expr::Unary(ExprUnary { op: UnOp::Neg(_), .. }) => Err(syn::Error::new_spanned(
                expr,
                "`max_result_size` is a number of characters; write `max_result_size = 2000`, or `none` for no limit",
            )),
            _ => Ok(Self::Chars(expr)),
        }
    }
}

/// A number that is not 0, or what evaluates to one.
fn positive(key: &Ident, input: ParseStream<'_>, form: &str, what: &str) -> Result<Expr> {
    let expr: Expr = keys::value(key, input, form)?;
    match &expr {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) if number.base10_digits().bytes().any(|b| b != b'0') => {}
        Expr::Lit(_) | Expr::Unary(ExprUnary { op: UnOp::Neg(_), .. }) => {
            let message = format!("`{key}` is {what}, at least 1; write `{form}`");
            return Err(syn::Error::new_spanned(expr, message));
        }
        _ => {}
    }
    Ok(expr)
}

fn bytes(key: &Ident, input: ParseStream<'_>, form: &str) -> Result<Expr> {
    let expr: Expr = keys::value(key, input, form)?;
    match &expr {
        Expr::Lit(ExprLit { lit: Lit::Int(_), .. }) => {}
        Expr::Lit(_) => {
            let message = format!("`{key}` is a number of bytes, 0 for no media at all; write `{form}`");
            return Err(syn::Error::new_spanned(expr, message));
        }
        _ => {}
    }
    Ok(expr)
}

/// A number of further attempts, or what evaluates to one.
fn retries(key: &Ident, input: ParseStream<'_>, form: &str) -> Result<Expr> {
    let expr: Expr = keys::value(key, input, form)?;
    match &expr {
        Expr::Lit(ExprLit { lit: Lit::Int(_), .. }) => Ok(expr),
        Expr::Lit(_) => {
            let message = format!("`{key}` is how often a call may be tried again; write `{form}`");
            Err(syn::Error::new_spanned(expr, message))
        }
        _ => Ok(expr),
    }
}

/// One of `words`, bare or in quotes; each has the variant that it stands for.
fn choice(key: &Ident, input: ParseStream<'_>, form: &str, words: &[(&str, &str)]) -> Result<Choice> {
    let value: Expr = keys::value(key, input, form)?;
    let word = match &value {
        Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    };
    let known = words.iter().map(|(known, _)| *known);
    let is_path = matches!(&value, Expr::Path(path) if path.path.segments.len() > 1);
    if let Some((_, variant)) = words.iter().find(|(known, _)| !is_path && word.as_deref() == Some(*known)) {
        return Ok(Choice(Ident::new(variant, value.span())));
    }
    let message = match word.as_deref().and_then(|word| near::nearest(word, known.clone())) {
        Some(near) => format!("this is no value of `{key}`, which takes {}; write `{near}`", near::listed(known)),
        None => format!("this is no value of `{key}`; write one of {}", near::listed(known)),
    };
    Err(syn::Error::new_spanned(value, message))
}

/// A path, bare or in quotes.
fn path(key: &Ident, input: ParseStream<'_>, form: &str) -> Result<Path> {
    let ahead = input.fork();
    ahead.parse::<Option<Token![=]>>()?;
    if ahead.peek(LitStr) {
        keys::text(key, input, form)?.parse_with(Path::parse_mod_style)
    } else if input.peek(Token![=]) && !ahead.is_empty() {
        input.parse::<Token![=]>()?;
        let wrong = input.error(format!("`{key}` takes the path of the runtime; write `{form}`"));
        input.call(Path::parse_mod_style).map_err(|_| wrong)
    } else {
        keys::value(key, input, form)
    }
}

/// `"30s"`, `"500ms"`, `"2m"`, `"1h"`.
fn timeout(text: &LitStr) -> Result<Timeout> {
    let value = text.value();
    let (number, unit) = value.split_at(value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len()));
    let unit = match unit.trim() {
        "ms" => Some(1),
        "s" => Some(1000),
        "m" | "min" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    match number.parse().ok().zip(unit).and_then(|(number, unit): (u64, u64)| number.checked_mul(unit)) {
        Some(0) => Err(syn::Error::new_spanned(text, "a timeout of 0 would stop every call; give it some time")),
        Some(millis) => Ok(Timeout(millis)),
        None => Err(syn::Error::new_spanned(
            text,
            "this is no time that a call may take; write a whole number and a unit (`ms`, `s`, `m`, `h`), as in \
             `timeout = \"30s\"`",
        )),
    }
}

/// `("a", "b")`
fn tags(key: &Ident, input: ParseStream<'_>) -> Result<Vec<LitStr>> {
    if !input.peek(syn::token::Paren) {
        let message = "`tags` takes its words in parentheses; write `tags(\"..\")`";
        return Err(syn::Error::new_spanned(key, message));
    }
    let inner;
    syn::parenthesized!(inner in input);
    // Read as a whole: a rest would be a second error.
    let words = inner.parse::<TokenStream>()?;
    (|input: ParseStream<'_>| words_of(key, input)).parse2(words)
}

fn words_of(key: &Ident, input: ParseStream<'_>) -> Result<Vec<LitStr>> {
    let mut tags: Vec<LitStr> = Vec::new();
    while !input.is_empty() {
        if !input.peek(LitStr) {
            return Err(input.error("a tag is text; write it in quotes"));
        }
        let tag: LitStr = input.parse()?;
        if tag.value().trim().is_empty() {
            return Err(syn::Error::new_spanned(tag, "an empty tag chooses nothing; remove it"));
        }
        if tags.iter().any(|known| known.value() == tag.value()) {
            return Err(syn::Error::new_spanned(
                tag,
                "this tag is given twice, a tool has it or has it not; remove one",
            ));
        }
        tags.push(tag);
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    if tags.is_empty() {
        return Err(syn::Error::new_spanned(key, "`tags()` gives none; write `tags(\"..\")`"));
    }
    Ok(tags)
}

/// `(a, b)`, `(except(a))` or `= function`.
fn loop_key(key: &Ident, input: ParseStream<'_>, form: &str) -> Result<LoopKey> {
    if !input.peek(syn::token::Paren) {
        return keys::name(key, input, "loop_key = path").map(LoopKey::By);
    }
    let inner;
    syn::parenthesized!(inner in input);
    let ahead = inner.fork();
    let word: Option<Ident> = ahead.parse().ok();
    if word.is_some_and(|word| word == "except") && ahead.peek(syn::token::Paren) {
        inner.parse::<Ident>()?;
        let except;
        syn::parenthesized!(except in inner);
        return names(key, &except, form).map(LoopKey::Except);
    }
    names(key, &inner, form).map(LoopKey::Only)
}

/// Names of parameters, bare or in quotes.
fn names(key: &Ident, input: ParseStream<'_>, form: &str) -> Result<Vec<LitStr>> {
    let mut names = Vec::new();
    while !input.is_empty() {
        names.push(if input.peek(LitStr) {
            input.parse()?
        } else {
            let ident = input.call(Ident::parse_any)?;
            LitStr::new(&ident.unraw().to_string(), ident.span())
        });
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    if names.is_empty() {
        return Err(syn::Error::new_spanned(key, format!("`{key}` names no parameter; write `{form}`")));
    }
    Ok(names)
}

/// `= false`, for what is on where nothing is said.
fn off(key: &Ident, input: ParseStream<'_>, form: &str) -> Result<()> {
    let value: Expr = keys::value(key, input, form)?;
    match value {
        Expr::Lit(ExprLit { lit: Lit::Bool(LitBool { value: false, .. }), .. }) => Ok(()),
        other => Err(syn::Error::new_spanned(
            other,
            format!("`{key}` is on where its type allows it, it can only be turned off; write `{form}`"),
        )),
    }
}
