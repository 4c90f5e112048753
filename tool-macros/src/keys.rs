//! Comma-separated keys, as in `#[tool(..)]`, `#[serde(..)]` and `range(..)`: a mistake in one does not hide the next.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Expr, ExprLit, ExprUnary, Ident, Lit, LitBool, LitInt, LitStr, RangeLimits, Result, Token, UnOp,
    ext::IdentExt,
    parse::{Parse, ParseStream, Parser},
};

use crate::errors::Errors;

/// Calls `one` for each key, with the input behind it; `form` is what to write in place of text without a key.
pub(crate) fn each(
    tokens: TokenStream,
    form: &str,
    errors: &mut Errors,
    mut one: impl FnMut(&Ident, ParseStream<'_>, &mut Errors) -> Result<()>,
) {
    let all = |input: ParseStream<'_>| {
        while !input.is_empty() {
            let key = if input.peek(LitStr) {
                Err(input.error(format!("text alone says nothing, a key says what it is for; write `{form}`")))
            } else {
                input.call(Ident::parse_any)
            };
            let result = key.and_then(|key| {
                one(&key, input, errors)?;
                if input.is_empty() || input.peek(Token![,]) {
                    Ok(())
                } else {
                    Err(input.error(format!("the value of `{key}` has ended; put a comma before the next key")))
                }
            });
            if let Err(error) = result {
                errors.add(error);
                skip_to_comma(input)?;
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(())
    };
    if let Err(error) = all.parse2(tokens) {
        errors.add(error);
    }
}

/// The value of `key = value`; `form` is what to write.
pub(crate) fn value<T: Parse>(key: &Ident, input: ParseStream<'_>, form: &str) -> Result<T> {
    if !input.peek(Token![=]) {
        return Err(syn::Error::new_spanned(key, format!("`{key}` needs a value; write `{form}`")));
    }
    input.parse::<Token![=]>()?;
    if input.is_empty() {
        return Err(syn::Error::new_spanned(key, format!("`{key}` needs a value; write `{form}`")));
    }
    input.parse()
}

/// The value of a key that takes text only; `form` is what to write.
pub(crate) fn text(key: &Ident, input: ParseStream<'_>, form: &str) -> Result<LitStr> {
    let ahead = input.fork();
    ahead.parse::<Option<Token![=]>>()?;
    if input.peek(Token![=]) && !ahead.is_empty() && !ahead.peek(LitStr) {
        let rest = ahead.fork();
        let form = match rest.parse::<Ident>() {
            // A constant has a value that nobody knows here.
            Ok(word) if (rest.is_empty() || rest.peek(Token![,])) && word.to_string().contains(char::is_lowercase) => {
                format!("{key} = \"{word}\"")
            }
            _ => form.to_owned(),
        };
        return Err(ahead.error(format!("`{key}` has to be known to the macro, as text in quotes; write `{form}`")));
    }
    value(key, input, form)
}

/// The path in a text, as serde has them; `form` is what to write.
pub(crate) fn path_in<T: Parse>(key: &Ident, text: &LitStr, form: &str) -> Result<T> {
    let message = || format!("`{key}` takes a name of your code, and this can't be one; write `{form}`");
    text.parse().map_err(|_| syn::Error::new_spanned(text, message()))
}

/// The value of a key that takes a name of the user's code, which rustc looks up; `form` is what to write.
pub(crate) fn name<T: Parse>(key: &Ident, input: ParseStream<'_>, form: &str) -> Result<T> {
    let ahead = input.fork();
    if ahead.parse::<Token![=]>().is_ok() {
        if let Ok(text) = ahead.parse::<LitStr>() {
            let word = text.value();
            let is_name = syn::parse_str::<syn::Path>(&word).is_ok();
            let form = if is_name { format!("{key} = {word}") } else { form.to_owned() };
            let message = format!("`{key}` takes what is meant itself, and not text; write `{form}`, without quotes");
            return Err(syn::Error::new_spanned(text, message));
        }
    }
    value(key, input, form)
}

/// Refuses `range(1..=7)` and `length(3)`: bounds have names. `form` is what to write where nothing better is known.
pub(crate) fn named_bounds(key: &Ident, bounds: &TokenStream, form: &str) -> Result<()> {
    let Ok(bounds) = syn::parse2::<Expr>(bounds.clone()) else { return Ok(()) };
    let text = |end: &Option<Box<Expr>>| end.as_ref().map(|end| end.to_token_stream().to_string());
    let form = match &bounds {
        Expr::Range(range) => {
            let max = match (&range.limits, range.end.as_deref()) {
                (RangeLimits::HalfOpen(_), Some(Expr::Lit(ExprLit { lit: Lit::Int(end), .. }))) => {
                    end.base10_parse::<u64>().ok().and_then(|end| end.checked_sub(1)).map(|end| end.to_string())
                }
                _ => text(&range.end),
            };
            let named = [("min", text(&range.start)), ("max", max)];
            let named = named.into_iter().filter_map(|(name, end)| Some(format!("{name} = {}", end?)));
            format!("{key}({})", named.collect::<Vec<_>>().join(", "))
        }
        Expr::Lit(only) if key == "length" => format!("length(equal = {})", only.to_token_stream()),
        Expr::Lit(only) if key == "regex" => format!("regex(pattern = {})", only.to_token_stream()),
        Expr::Lit(_) => form.to_owned(),
        _ => return Ok(()),
    };
    Err(syn::Error::new_spanned(bounds, format!("`{key}` takes its bounds by name; write `{form}`")))
}

/// Refuses a value after a key that has none.
pub(crate) fn flag(key: &Ident, input: ParseStream<'_>) -> Result<()> {
    if input.is_empty() || input.peek(Token![,]) {
        Ok(())
    } else if input.peek(Ident::peek_any) || input.peek(Token![;]) {
        Err(input.error(format!("`{key}` takes no value; put a comma before the next key")))
    } else {
        let ahead = input.fork();
        ahead.parse::<Option<Token![=]>>()?;
        let what = if ahead.parse::<LitBool>().is_ok_and(|value| !value.value) { "remove it" } else { "write" };
        let form = if what == "write" { format!(" `{key}`") } else { String::new() };
        let message = format!("`{key}` takes no value, it is off where it isn't written; {what}{form}");
        Err(syn::Error::new_spanned(key, message))
    }
}

/// Everything up to the next comma.
pub(crate) fn until_comma(input: ParseStream<'_>) -> Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

fn skip_to_comma(input: ParseStream<'_>) -> Result<()> {
    until_comma(input).map(drop)
}

/// The number that a bound is. An integer without a suffix would be an `i32`, so it gets that of JSON's integers.
pub(crate) fn number(value: &Expr) -> TokenStream {
    let (minus, suffix, digits) = match value {
        Expr::Unary(ExprUnary { op: UnOp::Neg(minus), expr, .. }) => (Some(minus), "i64", &**expr),
        _ => (None, "u64", value),
    };
    match digits {
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) if int.suffix().is_empty() => {
            let int = LitInt::new(&format!("{}{suffix}", int.base10_digits()), int.span());
            quote!(#minus #int)
        }
        _ => quote!(#value),
    }
}
