//! The attributes of one parameter, read as serde and schemars read them on a field.

use std::collections::HashMap;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{
    Attribute, Expr, ExprPath, Ident, LitStr, Meta, Path, Result, Token, Type, parenthesized, parse::ParseStream,
    spanned::Spanned,
};

use crate::{
    docs::{self, Docs},
    errors::Errors,
    garde, keys, near,
    slot::Slot,
    synonyms,
};

const SERDE: [&str; 5] = ["default", "rename", "alias", "with", "deserialize_with"];
const SCHEMARS: [&str; 8] = ["title", "description", "range", "length", "regex", "extend", "with", "example"];

/// The keys of `length(..)`, each with what it bounds.
const LENGTH: [(&str, &[&str]); 3] =
    [("min", &["min_length"]), ("max", &["max_length"]), ("equal", &["min_length", "max_length"])];

pub(crate) struct Field {
    pub(crate) docs: Docs,
    pub(crate) default: Slot<Default>,
    pub(crate) rename: Slot<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    /// The function that decodes the value, with what to blame.
    pub(crate) decode: Slot<(Span, TokenStream)>,
    /// The type that gives the schema.
    pub(crate) schema: Slot<Type>,
    pub(crate) edits: Vec<Edit>,
    /// Rules of garde, with what to blame.
    pub(crate) checks: Vec<(Span, TokenStream)>,
    bounds: HashMap<&'static str, Slot<()>>,
    title: Slot<()>,
    description: Slot<()>,
}

/// `#[serde(default)]` or `#[serde(default = "path")]`.
pub(crate) enum Default {
    Trait(Span),
    Path(ExprPath),
}

/// A method of the runtime's `Edit` that changes the schema, with its arguments.
pub(crate) struct Edit {
    pub(crate) span: Span,
    pub(crate) method: &'static str,
    pub(crate) args: TokenStream,
}

/// Whether the attribute may stand on a parameter when the macro is done; rustc knows these and no others there.
pub(crate) fn is_rustc(attr: &Attribute) -> bool {
    ["allow", "expect", "warn", "deny", "forbid"].iter().any(|known| attr.path().is_ident(known))
}

pub(crate) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Field {
    let mut field = Field {
        docs: docs::parse(attrs),
        default: Slot::default(),
        rename: Slot::default(),
        aliases: Vec::new(),
        decode: Slot::default(),
        schema: Slot::default(),
        edits: Vec::new(),
        checks: Vec::new(),
        bounds: HashMap::new(),
        title: Slot::default(),
        description: Slot::default(),
    };
    for attr in attrs.iter().filter(|attr| !docs::is_doc(attr) && !is_rustc(attr)) {
        let (name, keys) = match &attr.meta {
            Meta::List(list) => (list.path.get_ident().map(Ident::to_string), list.tokens.clone()),
            meta => (meta.path().get_ident().map(Ident::to_string), TokenStream::new()),
        };
        match name.as_deref() {
            Some("serde") => {
                keys::each(keys, "rename = \"..\"", errors, |key, input, errors| field.serde(key, input, errors));
            }
            Some("schemars") => keys::each(keys, "description = \"..\"", errors, |key, input, errors| {
                field.schemars(key, input, errors)
            }),
            Some("garde") => {
                keys::each(keys, "pattern(\"..\")", errors, |key, input, errors| field.garde(key, input, errors));
            }
            Some("cfg" | "cfg_attr") => errors.push(
                attr.path(),
                "a parameter of a tool can't depend on `cfg`, the schema has to agree with the function; put `cfg` \
                 on two versions of the function",
            ),
            name => {
                let near = name.and_then(|name| near::nearest(name, ["serde", "schemars", "garde", "inject"]));
                let instead = match (name.and_then(synonyms::of_attribute), near) {
                    (Some(instead), _) => instead.to_owned(),
                    (None, Some(near)) => format!("did you mean `{near}`?"),
                    (None, None) => "take one struct that carries it".to_owned(),
                };
                errors.push(
                    attr.path(),
                    format!(
                        "this attribute has no effect on the parameter of a tool, only `serde`, `schemars`, `garde`, \
                         `inject` and doc comments are read; {instead}"
                    ),
                );
            }
        }
    }
    field
}

impl Field {
    fn serde(&mut self, key: &Ident, input: ParseStream<'_>, errors: &mut Errors) -> Result<()> {
        match key.to_string().as_str() {
            "default" if input.peek(Token![=]) => {
                let form = "default = \"function\"` with `fn function() -> Type";
                let path = keys::path_in(key, &keys::text(key, input, form)?, form)?;
                self.default.set(key, Default::Path(path), errors);
            }
            "default" => {
                keys::flag(key, input)?;
                self.default.set(key, Default::Trait(key.span()), errors);
            }
            "rename" => self.rename.set(key, keys::text(key, input, "rename = \"..\"")?, errors),
            "alias" => self.aliases.push(keys::text(key, input, "alias = \"..\"")?),
            "with" => {
                let text = keys::text(key, input, "with = \"module\"")?;
                let module: Path = keys::path_in(key, &text, "with = \"module\"")?;
                let function = quote_spanned!(text.span()=> #module::deserialize);
                self.decode.set(key, (text.span(), function), errors);
            }
            "deserialize_with" => {
                let text = keys::text(key, input, "deserialize_with = \"path\"")?;
                let function: ExprPath = keys::path_in(key, &text, "deserialize_with = \"path\"")?;
                self.decode.set(key, (text.span(), quote!(#function)), errors);
            }
            other => return Err(unknown("serde", key, other, &SERDE)),
        }
        Ok(())
    }

    fn schemars(&mut self, key: &Ident, input: ParseStream<'_>, errors: &mut Errors) -> Result<()> {
        match key.to_string().as_str() {
            "title" => {
                let title: Expr = keys::value(key, input, "title = \"..\"")?;
                self.title.set(key, (), errors);
                self.set("title", &title);
            }
            "description" => {
                let description: Expr = keys::value(key, input, "description = \"..\"")?;
                self.description.set(key, (), errors);
                self.set("description", &description);
            }
            "range" => self.bounds(key, input, &[("min", &["minimum"]), ("max", &["maximum"])], errors)?,
            "length" => self.bounds(key, input, &LENGTH, errors)?,
            "regex" => self.bounds(key, input, &[("pattern", &["pattern"])], errors)?,
            "extend" => self.extend(input)?,
            "with" => {
                let form = "with = \"Type\"";
                let ty = keys::path_in(key, &keys::text(key, input, form)?, form)?;
                self.schema.set(key, ty, errors);
            }
            "example" => {
                let example: Expr = keys::value(key, input, "example = ..")?;
                let value = keys::number(&example);
                self.edit("example", example.span(), quote!(&#value));
            }
            other => return Err(unknown("schemars", key, other, &SCHEMARS)),
        }
        Ok(())
    }

    /// `range(min = .., max = ..)` and the like; each known key has the methods that it becomes.
    fn bounds(
        &mut self,
        key: &Ident,
        input: ParseStream<'_>,
        known: &[(&'static str, &[&'static str])],
        errors: &mut Errors,
    ) -> Result<()> {
        let form = format!("{key}({} = ..)", known[0].0);
        if !input.peek(syn::token::Paren) {
            return Err(syn::Error::new_spanned(
                key,
                format!("`{key}` takes its bounds in parentheses; write `{form}`"),
            ));
        }
        let inner;
        parenthesized!(inner in input);
        if inner.is_empty() {
            return Err(syn::Error::new_spanned(key, format!("`{key}()` bounds nothing; write `{form}`")));
        }
        let inner: TokenStream = inner.parse()?;
        keys::named_bounds(key, &inner, &form)?;
        keys::each(inner, &form, errors, |bound, input, errors| {
            let word = bound.to_string();
            let Some((_, methods)) = known.iter().find(|(name, _)| *name == word) else {
                let names = known.iter().map(|(name, _)| *name);
                let message = format!("`{bound}` is no key of `{key}`; {}", near::suggestion(&word, names));
                return Err(syn::Error::new_spanned(bound, message));
            };
            let value = keys::number(&keys::value(bound, input, &format!("{bound} = .."))?);
            for method in *methods {
                self.bounds.entry(method).or_default().set(bound, (), errors);
                self.edit(method, bound.span(), value.clone());
            }
            Ok(())
        });
        Ok(())
    }

    fn garde(&mut self, key: &Ident, input: ParseStream<'_>, errors: &mut Errors) -> Result<()> {
        let rule = garde::parse(key, input, errors)?;
        for (method, args) in rule.edits {
            self.edit(method, key.span(), args);
        }
        self.checks.push((key.span(), rule.check));
        Ok(())
    }

    /// `extend("key" = json, ..)`
    fn extend(&mut self, input: ParseStream<'_>) -> Result<()> {
        let inner;
        parenthesized!(inner in input);
        while !inner.is_empty() {
            let key: LitStr = inner.parse()?;
            inner.parse::<Token![=]>()?;
            let json = keys::until_comma(&inner)?;
            self.edit("set", key.span(), quote!(#key, __tool_rt::json!(#json)));
            inner.parse::<Option<Token![,]>>()?;
        }
        Ok(())
    }

    fn set(&mut self, keyword: &str, value: &Expr) {
        self.edit("set", value.span(), quote!(#keyword, ::core::convert::Into::into(#value)));
    }

    fn edit(&mut self, method: &'static str, span: Span, args: TokenStream) {
        self.edits.push(Edit { span, method, args });
    }
}

fn unknown(of: &str, key: &Ident, word: &str, known: &[&'static str]) -> syn::Error {
    if let Some(instead) = synonyms::of_field_key(word) {
        let message = format!("`{of}({key})` has no effect on the parameter of a tool; {instead}");
        return syn::Error::new_spanned(key, message);
    }
    let message = match near::nearest(word, known.iter().copied()) {
        Some(near) => format!("`{of}({key})` means nothing; did you mean `{near}`?"),
        None => format!(
            "`{of}({key})` has no effect on the parameter of a tool, only {} have; take one struct that derives it",
            near::listed(known.iter().copied())
        ),
    };
    syn::Error::new_spanned(key, message)
}
