//! `#[garde(..)]` on a parameter: each rule is a limit in the schema, and a call of garde's own function.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Expr, Ident, Result, Token, parenthesized, parse::ParseStream};

use crate::{errors::Errors, keys, located::located, near, slot::Slot};

const RULES: [&str; 13] = [
    "range",
    "length",
    "pattern",
    "email",
    "ip",
    "ipv4",
    "ipv6",
    "ascii",
    "alphanumeric",
    "contains",
    "prefix",
    "suffix",
    "dive",
];

/// The ways to count a text.
const MODES: [&str; 5] = ["simple", "bytes", "chars", "graphemes", "utf16"];

pub(crate) struct Rule {
    /// Methods of the runtime's `Edit`, with their arguments.
    pub(crate) edits: Vec<(&'static str, TokenStream)>,
    /// An expression of `Result<(), impl Display>` about the local of [`value`].
    pub(crate) check: TokenStream,
}

/// The local that holds the argument.
pub(crate) fn value(span: Span) -> Ident {
    Ident::new("__tool_value", Span::mixed_site().located_at(span))
}

pub(crate) fn parse(key: &Ident, input: ParseStream<'_>, errors: &mut Errors) -> Result<Rule> {
    let span = key.span();
    let value = value(span);
    let module = |name: &str| Ident::new(name, Span::mixed_site().located_at(span));
    let rule = |name: &str, args: TokenStream| {
        let module = module(name);
        located!(span => __tool_rt::garde::rules::#module::apply(#value, #args))
    };
    let flag = |edits: Vec<(&'static str, TokenStream)>, check: TokenStream| {
        keys::flag(key, input)?;
        Ok(Rule { edits, check })
    };
    match key.to_string().as_str() {
        "range" => {
            let [min, max, equal] = bounds(key, input, errors, ["min", "max", "equal"])?;
            let (min, max) = (min.or(equal.clone()), max.or(equal));
            let edits = [("minimum", min.clone()), ("maximum", max.clone())];
            let edits = edits.into_iter().filter_map(|(method, bound)| Some((method, keys::number(&bound?)))).collect();
            let (min, max) = (option(min), option(max));
            Ok(Rule { edits, check: rule("range", located!(span => (#min, #max))) })
        }
        "length" => length(key, input, errors),
        "pattern" => {
            let pattern = argument(key, input, "pattern(\"..\")")?;
            // The runtime holds calls to the pattern in the schema.
            let check = located!(span => __tool_rt::kept(#value));
            Ok(Rule { edits: vec![("pattern", quote!(#pattern))], check })
        }
        "email" => flag(vec![("format", quote!("email"))], rule("email", located!(span => ()))),
        "ip" | "ipv4" | "ipv6" => {
            let (kind, format) = match key.to_string().as_str() {
                "ipv4" => ("V4", Some("ipv4")),
                "ipv6" => ("V6", Some("ipv6")),
                _ => ("Any", None),
            };
            let kind = module(kind);
            let edits = format.map(|format| ("format", quote!(#format))).into_iter().collect();
            flag(edits, rule("ip", located!(span => (__tool_rt::garde::rules::ip::IpKind::#kind,))))
        }
        "ascii" => flag(vec![("loose_pattern", quote!("^[\\x00-\\x7F]*$"))], rule("ascii", located!(span => ()))),
        "alphanumeric" => flag(
            vec![("loose_pattern", quote!("^[\\p{Alphabetic}\\p{N}]*$"))],
            rule("alphanumeric", located!(span => ())),
        ),
        "contains" | "prefix" | "suffix" => {
            let name = key.to_string();
            let part = argument(key, input, &format!("{name}(\"..\")"))?;
            let edit = match name.as_str() {
                "contains" => "contains",
                "prefix" => "prefix",
                _ => "suffix",
            };
            Ok(Rule { edits: vec![(edit, quote!(#part))], check: rule(&name, located!(span => (#part,))) })
        }
        "dive" => flag(Vec::new(), located!(span => __tool_rt::garde::Validate::validate_with(#value, &()))),
        other => Err(unknown(key, other)),
    }
}

fn unknown(key: &Ident, word: &str) -> syn::Error {
    let message = match (word, near::nearest(word, RULES)) {
        ("skip", _) => "`garde(skip)` checks nothing, and so does no attribute; remove it".to_owned(),
        ("required", _) => "a parameter is required by its type; take `T` in place of `Option<T>`".to_owned(),
        ("url", _) => "`garde(url)` is not read here; take a `url::Url`, which is always one".to_owned(),
        ("custom", _) => "`garde(custom)` has no effect on the parameter of a tool; read the argument with \
                          `#[serde(deserialize_with = \"..\")]`, which may refuse it"
            .to_owned(),
        (_, Some(near)) => format!("`garde({key})` means nothing; did you mean `{near}`?"),
        (_, None) => format!(
            "`garde({key})` has no effect on the parameter of a tool, only {} have; take one struct that derives \
             `Validate`, with `#[garde(dive)]`",
            near::listed(RULES)
        ),
    };
    syn::Error::new_spanned(key, message)
}

/// `length(chars, min = 1, max = 3)`
fn length(key: &Ident, input: ParseStream<'_>, errors: &mut Errors) -> Result<Rule> {
    let span = key.span();
    let inner;
    if !input.peek(syn::token::Paren) {
        return Err(syn::Error::new_spanned(key, "`length` takes its bounds in parentheses; write `length(min = ..)`"));
    }
    parenthesized!(inner in input);
    let mut mode = Ident::new("simple", span);
    let ahead = inner.fork();
    if let Ok(word) = ahead.parse::<Ident>() {
        if MODES.iter().any(|known| word == known) {
            inner.parse::<Ident>()?;
            inner.parse::<Option<Token![,]>>()?;
            mode = word;
        }
    }
    let [min, max, equal] = named(key, inner.parse()?, errors, ["min", "max", "equal"])?;
    let (min, max) = (min.or(equal.clone()), max.or(equal));
    // A schema counts characters: a text of so many bytes has at least a quarter as many of them.
    let (least, most) = match mode.to_string().as_str() {
        "chars" => ("min_length", Some("max_length")),
        "graphemes" => ("min_length", None),
        "utf16" => ("min_utf16", Some("max_length")),
        _ => ("min_bytes", Some("max_length")),
    };
    let mut edits = Vec::new();
    // Two of them divide, and take a `usize`.
    let number = |bound: &Expr| if least == "min_length" { keys::number(bound) } else { quote!(#bound) };
    edits.extend(min.as_ref().map(|min| (least, number(min))));
    edits.extend(most.and_then(|most| max.as_ref().map(|max| (most, keys::number(max)))));
    let min = min.map_or_else(|| quote!(0), |min| quote!(#min));
    let max = max.map_or_else(|| quote!(::core::primitive::usize::MAX), |max| quote!(#max));
    let value = value(span);
    let check = located!(span => __tool_rt::garde::rules::length::#mode::apply(#value, (#min, #max)));
    Ok(Rule { edits, check })
}

/// The values of `key(a = .., b = ..)` by name.
fn bounds<const N: usize>(
    key: &Ident,
    input: ParseStream<'_>,
    errors: &mut Errors,
    known: [&'static str; N],
) -> Result<[Option<Expr>; N]> {
    if !input.peek(syn::token::Paren) {
        let message = format!("`{key}` takes its bounds in parentheses; write `{key}({} = ..)`", known[0]);
        return Err(syn::Error::new_spanned(key, message));
    }
    let inner;
    parenthesized!(inner in input);
    named(key, inner.parse()?, errors, known)
}

fn named<const N: usize>(
    key: &Ident,
    tokens: TokenStream,
    errors: &mut Errors,
    known: [&'static str; N],
) -> Result<[Option<Expr>; N]> {
    if tokens.is_empty() {
        let message = format!("`{key}()` bounds nothing; write `{key}({} = ..)`", known[0]);
        return Err(syn::Error::new_spanned(key, message));
    }
    let form = format!("{key}({} = ..)", known[0]);
    keys::named_bounds(key, &tokens, &form)?;
    let mut slots: [Slot<Expr>; N] = std::array::from_fn(|_| Slot::default());
    keys::each(tokens, &form, errors, |bound, input, errors| {
        let word = bound.to_string();
        let Some(at) = known.iter().position(|name| *name == word) else {
            let message = format!("`{bound}` is no key of `{key}`; {}", near::suggestion(&word, known));
            return Err(syn::Error::new_spanned(bound, message));
        };
        slots[at].set(bound, keys::value(bound, input, &format!("{bound} = .."))?, errors);
        Ok(())
    });
    Ok(slots.map(|slot| slot.get().cloned()))
}

/// The one value of `key(..)`.
fn argument(key: &Ident, input: ParseStream<'_>, form: &str) -> Result<Expr> {
    if !input.peek(syn::token::Paren) {
        return Err(syn::Error::new_spanned(key, format!("`{key}` takes its value in parentheses; write `{form}`")));
    }
    let inner;
    parenthesized!(inner in input);
    if inner.is_empty() {
        return Err(syn::Error::new_spanned(key, format!("`{key}()` says nothing; write `{form}`")));
    }
    inner.parse()
}

fn option(bound: Option<Expr>) -> TokenStream {
    match bound {
        Some(bound) => quote!(::core::option::Option::Some(#bound)),
        None => quote!(::core::option::Option::None),
    }
}
