//! Comma-separated keys, as in `#[tool(..)]`, `#[serde(..)]` and `range(..)`: a mistake in one does not hide the next.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::{
    Expr, ExprLit, ExprUnary, Ident, Lit, LitInt, LitStr, Result, Token, UnOp,
    ext::IdentExt,
    parse::{Parse, ParseStream, Parser},
};

use crate::errors::Errors;

/// Calls `one` for each key, with the input behind it.
pub(crate) fn each(
    tokens: TokenStream,
    errors: &mut Errors,
    mut one: impl FnMut(&Ident, ParseStream<'_>, &mut Errors) -> Result<()>,
) {
    let all = |input: ParseStream<'_>| {
        while !input.is_empty() {
            let key = input.call(Ident::parse_any);
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
        return Err(ahead.error(format!("`{key}` has to be known to the macro, as text; write `{form}`")));
    }
    value(key, input, form)
}

/// Refuses a value after a key that has none.
pub(crate) fn flag(key: &Ident, input: ParseStream<'_>) -> Result<()> {
    if input.is_empty() || input.peek(Token![,]) {
        Ok(())
    } else if input.peek(Ident::peek_any) {
        Err(input.error(format!("`{key}` takes no value; put a comma before the next key")))
    } else {
        Err(syn::Error::new_spanned(
            key,
            format!("`{key}` takes no value, it is off where it isn't written; write `{key}`"),
        ))
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
