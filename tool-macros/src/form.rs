//! What stands behind a key: numbers, words of a few, lists, times.

use proc_macro2::TokenStream;
use syn::{
    Expr, ExprLit, ExprUnary, Ident, Lit, LitBool, LitStr, Path, Result, Token, UnOp,
    ext::IdentExt,
    parse::{Parse, ParseStream, Parser},
    spanned::Spanned,
};

use crate::{keys, near};

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
pub(crate) fn positive(key: &Ident, input: ParseStream<'_>, form: &str, what: &str) -> Result<Expr> {
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

pub(crate) fn bytes(key: &Ident, input: ParseStream<'_>, form: &str) -> Result<Expr> {
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
pub(crate) fn retries(key: &Ident, input: ParseStream<'_>, form: &str) -> Result<Expr> {
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
pub(crate) fn choice(key: &Ident, input: ParseStream<'_>, form: &str, words: &[(&str, &str)]) -> Result<Choice> {
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
pub(crate) fn path(key: &Ident, input: ParseStream<'_>, form: &str) -> Result<Path> {
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
pub(crate) fn timeout(text: &LitStr) -> Result<Timeout> {
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
pub(crate) fn tags(key: &Ident, input: ParseStream<'_>) -> Result<Vec<LitStr>> {
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
pub(crate) fn loop_key(key: &Ident, input: ParseStream<'_>, form: &str) -> Result<LoopKey> {
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
pub(crate) fn off(key: &Ident, input: ParseStream<'_>, form: &str) -> Result<()> {
    let value: Expr = keys::value(key, input, form)?;
    match value {
        Expr::Lit(ExprLit { lit: Lit::Bool(LitBool { value: false, .. }), .. }) => Ok(()),
        other => Err(syn::Error::new_spanned(
            other,
            format!("`{key}` is on where its type allows it, it can only be turned off; write `{form}`"),
        )),
    }
}
