//! The keys of `#[tool(..)]`.

use proc_macro2::TokenStream;
use syn::{
    Expr, ExprLit, Ident, Lit, LitStr, Path, Result, Token,
    parse::{Parse, ParseStream},
    spanned::Spanned,
};

use crate::{errors::Errors, keys, near, slot::Slot};

/// Each key with the form in which it is written.
const KEYS: [(&str, &str); 14] = [
    ("name", "name = \"..\""),
    ("title", "title = \"..\""),
    ("description", "description = \"..\""),
    ("to_model_output", "to_model_output = path"),
    ("max_result_size", "max_result_size = 2000"),
    ("truncation", "truncation = head_tail"),
    ("keep", "keep = always"),
    ("external", "external"),
    ("handle", "handle = Name"),
    ("read_only", "read_only"),
    ("destructive", "destructive"),
    ("idempotent", "idempotent"),
    ("open_world", "open_world"),
    ("crate", "crate = path"),
];

#[derive(Default)]
pub(crate) struct Attr {
    pub(crate) name: Slot<LitStr>,
    pub(crate) title: Slot<Expr>,
    pub(crate) description: Slot<Expr>,
    pub(crate) to_model_output: Slot<Expr>,
    pub(crate) max_result_size: Slot<Limit>,
    pub(crate) truncation: Slot<Choice>,
    pub(crate) keep: Slot<Choice>,
    pub(crate) external: Slot<()>,
    pub(crate) handle: Slot<Ident>,
    pub(crate) read_only: Slot<()>,
    pub(crate) destructive: Slot<()>,
    pub(crate) idempotent: Slot<()>,
    pub(crate) open_world: Slot<()>,
    pub(crate) rt: Slot<Path>,
}

/// The value of `max_result_size`.
pub(crate) enum Limit {
    None,
    Chars(Expr),
}

/// One word of a few: the variant of a runtime enum, blamed on the user's token.
pub(crate) struct Choice(pub(crate) Ident);

pub(crate) fn parse(args: TokenStream, errors: &mut Errors) -> Attr {
    let mut attr = Attr::default();
    keys::each(args, errors, |key, input, errors| {
        let word = key.to_string();
        let Some((_, form)) = KEYS.iter().find(|(known, _)| *known == word) else {
            let known = KEYS.iter().map(|(known, _)| *known);
            let message = format!("`{key}` is no key of `#[tool]`; {}", near::suggestion(&word, known));
            return Err(syn::Error::new_spanned(key, message));
        };
        attr.set(key, &word, form, input, errors)
    });
    attr
}

impl Attr {
    fn set(&mut self, key: &Ident, word: &str, form: &str, input: ParseStream<'_>, errors: &mut Errors) -> Result<()> {
        match word {
            "name" => self.name.set(key, keys::text(key, input, form)?, errors),
            "title" => self.title.set(key, keys::value(key, input, form)?, errors),
            "description" => self.description.set(key, keys::value(key, input, form)?, errors),
            "to_model_output" => self.to_model_output.set(key, keys::value(key, input, form)?, errors),
            "max_result_size" => self.max_result_size.set(key, keys::value(key, input, form)?, errors),
            "truncation" => {
                let words = [("head_tail", "HeadTail"), ("head", "Head"), ("fields", "Fields")];
                self.truncation.set(key, choice(key, input, form, &words)?, errors);
            }
            "keep" => {
                let words = [("on_cut", "OnCut"), ("always", "Always")];
                self.keep.set(key, choice(key, input, form, &words)?, errors);
            }
            "handle" => self.handle.set(key, keys::value(key, input, form)?, errors),
            "crate" => self.rt.set(key, path(key, input, form)?, errors),
            "external" => self.external.set(key, keys::flag(key, input)?, errors),
            "read_only" => self.read_only.set(key, keys::flag(key, input)?, errors),
            "destructive" => self.destructive.set(key, keys::flag(key, input)?, errors),
            "idempotent" => self.idempotent.set(key, keys::flag(key, input)?, errors),
            _ => self.open_world.set(key, keys::flag(key, input)?, errors),
        }
        Ok(())
    }
}

impl Parse for Limit {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let expr: Expr = input.parse()?;
        match &expr {
            Expr::Path(path) if path.path.is_ident("none") => Ok(Self::None),
            Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) if number.base10_digits().bytes().all(|b| b == b'0') => {
                Err(syn::Error::new_spanned(
                    number,
                    "`max_result_size` is 0, the model would read nothing; give a number of characters, or `none` for \
                     no limit",
                ))
            }
            Expr::Lit(ExprLit { lit, .. }) if !matches!(lit, Lit::Int(_)) => Err(syn::Error::new_spanned(
                lit,
                "`max_result_size` is a number of characters; write `max_result_size = 2000`, or `none` for no limit",
            )),
            _ => Ok(Self::Chars(expr)),
        }
    }
}

/// One of `words`, bare or in quotes; each has the variant that it stands for.
fn choice(key: &Ident, input: ParseStream<'_>, form: &str, words: &[(&str, &str)]) -> Result<Choice> {
    let value: Expr = keys::value(key, input, form)?;
    let word = match &value {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    };
    let known = words.iter().map(|(known, _)| *known);
    if let Some((_, variant)) = words.iter().find(|(known, _)| word.as_deref() == Some(*known)) {
        return Ok(Choice(Ident::new(variant, value.span())));
    }
    let hint = match word.as_deref().and_then(|word| near::nearest(word, known.clone())) {
        Some(near) => format!(", did you mean `{near}`?"),
        None => String::new(),
    };
    let message = format!("this is no value of `{key}`; write one of {}{hint}", near::listed(known));
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
        input.call(Path::parse_mod_style)
    } else {
        keys::value(key, input, form)
    }
}
