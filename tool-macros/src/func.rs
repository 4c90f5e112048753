//! The user's function: its signature in parts, its body unread.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{
    Attribute, FnArg, Ident, Pat, PatType, Path, Result, Signature, Token, Visibility,
    ext::IdentExt,
    parse::{Parse, ParseStream},
    spanned::Spanned,
};

use crate::{
    attr::Attr,
    docs::{self, Docs, Piece},
    errors::Errors,
    field::{self, Field},
    near,
    passing::{self, Passing},
    state::{self, State},
};

pub(crate) struct Func {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    /// Tokens only: no part of the macro looks inside, and parsing bodies costs every build.
    pub(crate) body: TokenStream,
    pub(crate) docs: Docs,
    /// What the model gives, in the order of the slots.
    pub(crate) params: Vec<Param>,
    /// What the registry gives.
    pub(crate) states: Vec<State>,
    /// What the function is called with, its receiver left out.
    pub(crate) inputs: Vec<Input>,
}

/// One parameter of the function, by its index among its kind.
#[derive(Clone, Copy)]
pub(crate) enum Input {
    Param(usize),
    State(usize),
}

pub(crate) struct Param {
    pub(crate) ident: Ident,
    pub(crate) ty: syn::Type,
    pub(crate) passing: Passing,
    pub(crate) field: Field,
}

impl Param {
    /// Whether this is its name, in Rust or to the model.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.ident.unraw() == name || self.field.rename.get().is_some_and(|rename| rename.value() == name)
    }
}

impl Param {
    /// Its name to the model.
    pub(crate) fn name(&self) -> String {
        self.field.rename.get().map_or_else(|| self.ident.unraw().to_string(), syn::LitStr::value)
    }
}

impl Func {
    /// The tool's name, and what is to blame for it.
    pub(crate) fn tool_name(&self, attr: &Attr) -> (String, Span) {
        let (own, span) = match attr.name.get() {
            Some(name) => (name.value(), name.span()),
            None => (self.sig.ident.unraw().to_string(), self.sig.ident.span()),
        };
        let prefix = &attr.prefix;
        let between = if prefix.is_empty() || prefix.ends_with(['_', '-', '.']) { "" } else { "_" };
        (format!("{prefix}{between}{own}"), span)
    }

    /// For what we generate: the use of a deprecated function there is not the user's.
    pub(crate) fn allow_deprecated(&self) -> Option<TokenStream> {
        let is_deprecated = self.attrs.iter().any(|attr| attr.path().is_ident("deprecated"));
        is_deprecated.then(|| quote!(#[allow(deprecated)]))
    }
}

/// Nothing where the item is no function; `errors` knows.
pub(crate) fn parse(item: &TokenStream, errors: &mut Errors) -> Option<Func> {
    let mut func = match syn::parse2::<Func>(item.clone()) {
        Ok(func) => func,
        Err(error) => {
            errors.add(error);
            return None;
        }
    };
    func.docs = docs::parse(&func.attrs);
    for input in &func.sig.inputs {
        let FnArg::Typed(input) = input else { continue };
        if input.attrs.iter().any(state::is_inject) {
            func.inputs.push(Input::State(func.states.len()));
            func.states.extend(state::parse(input, errors));
        } else {
            func.inputs.push(Input::Param(func.params.len()));
            func.params.extend(param(input, errors));
        }
    }
    describe_params(&mut func, errors);
    Some(func)
}

impl Parse for Func {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis: Visibility = input.parse()?;
        refuse_other_items(input)?;
        let sig: Signature = input.parse()?;
        if !input.peek(syn::token::Brace) {
            return Err(syn::Error::new_spanned(
                &sig.ident,
                "a tool needs a body, the runtime calls the function; put `#[tool]` on a function that has one",
            ));
        }
        let body = input.parse()?;
        let docs = Docs::Text(String::new());
        Ok(Self { attrs, vis, sig, body, docs, params: Vec::new(), states: Vec::new(), inputs: Vec::new() })
    }
}

fn refuse_other_items(input: ParseStream<'_>) -> Result<()> {
    let ahead = input.fork();
    ahead.parse::<Option<Token![unsafe]>>()?;
    let keyword = ahead.call(Ident::parse_any)?;
    let is_constant = keyword == "const" && !ahead.peek(Token![fn]) && ahead.peek(Ident);
    let message = match keyword.to_string().as_str() {
        "const" if is_constant => {
            "`#[tool]` goes on a function or an `impl` block, a constant can't be called; put it on a `fn`".to_owned()
        }
        "struct" | "enum" | "union" | "trait" | "mod" | "static" | "type" | "use" | "macro_rules" => {
            format!("`#[tool]` goes on a function or an `impl` block, `{keyword}` can't be called; put it on a `fn`")
        }
        _ => return Ok(()),
    };
    Err(syn::Error::new(keyword.span(), message))
}

fn param(input: &PatType, errors: &mut Errors) -> Option<Param> {
    let field = field::parse(&input.attrs, errors);
    let ident = match &*input.pat {
        Pat::Ident(pat) if pat.subpat.is_none() => pat.ident.clone(),
        Pat::Wild(wild) => {
            errors.push(
                wild,
                "a parameter of a tool needs a name, the model gives each argument by its name; write one, or remove the \
                 parameter",
            );
            return None;
        }
        other => {
            errors.push(
                other,
                "a parameter of a tool can't be a pattern, the model gives each argument by its name; write `name: \
                 Type` and take it apart in the body",
            );
            return None;
        }
    };
    Some(Param { ident, ty: (*input.ty).clone(), passing: passing::of(&input.ty), field })
}

/// Moves the bullets of `# Arguments` to the parameters that have no doc comment of their own. What a macro in the doc
/// comments stands for, nobody knows here; the bullets in it stay.
fn describe_params(func: &mut Func, errors: &mut Errors) {
    match std::mem::replace(&mut func.docs, Docs::Text(String::new())) {
        Docs::Text(text) => func.docs = Docs::Text(without_bullets(func, text, errors)),
        Docs::Pieces(mut pieces) => {
            for piece in &mut pieces {
                if let Piece::Text(text) = piece {
                    *text = without_bullets(func, std::mem::take(text), errors);
                }
            }
            func.docs = Docs::Pieces(pieces);
        }
    }
}

/// The text without the bullets that the parameters got.
fn without_bullets(func: &mut Func, text: String, errors: &mut Errors) -> String {
    let names: Vec<String> = func.params.iter().map(|param| param.ident.unraw().to_string()).collect();
    let (rest, bullets, strangers) =
        docs::take_arguments(&text, |name| func.params.iter().any(|param| param.is_called(name)));
    for stranger in strangers {
        if let Some(near) = near::nearest(&stranger, names.iter().map(String::as_str)) {
            let is_blamed =
                |attr: &&Attribute| docs::is_doc(attr) && attr.to_token_stream().to_string().contains(&stranger);
            let doc = func.attrs.iter().rfind(is_blamed);
            let span = doc.map_or_else(|| func.sig.ident.span(), Spanned::span);
            let message = format!("`# Arguments` has `{stranger}`, the function has no such parameter; write `{near}`");
            errors.push_at(span, message);
        }
    }
    if bullets.is_empty() {
        return text;
    }
    for bullet in bullets {
        let param = func.params.iter_mut().find(|param| param.is_called(&bullet.name));
        if let Some(Param { field: Field { docs: Docs::Text(own), .. }, .. }) = param {
            if own.is_empty() {
                *own = bullet.text;
            }
        }
    }
    rest
}

/// The function as the user wrote it, without the attributes that only this macro reads.
impl ToTokens for Func {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { attrs, vis, sig, body, .. } = self;
        let attrs = attrs.iter().filter(|attr| !is_tool(attr, None));
        let mut sig = sig.clone();
        for input in &mut sig.inputs {
            let attrs = match input {
                FnArg::Receiver(receiver) => &mut receiver.attrs,
                FnArg::Typed(typed) => &mut typed.attrs,
            };
            attrs.retain(|attr| field::is_rustc(attr) || attr.path().is_ident("cfg"));
        }
        tokens.extend(quote!(#(#attrs)* #vis #sig #body));
    }
}

/// Whether this is `#[tool]`; `rt` is where the user has the runtime.
pub(crate) fn is_tool(attr: &Attribute, rt: Option<&Path>) -> bool {
    let segments = &attr.path().segments;
    let is_runtime = |ident: &Ident| {
        ident == "tool_runtime" || rt.and_then(|rt| rt.segments.last()).is_some_and(|last| last.ident == *ident)
    };
    match segments.len() {
        1 => segments[0].ident == "tool",
        2 => segments[1].ident == "tool" && is_runtime(&segments[0].ident),
        _ => false,
    }
}
