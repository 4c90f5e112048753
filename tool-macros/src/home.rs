//! Where a tool stands: by itself, or in an `impl` block. It decides what the generated code calls things by.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Generics, Ident, Path, Result, Type};

pub(crate) enum Home {
    /// A free function.
    Free,
    /// A function in an `impl` block.
    Block(Box<Owner>),
}

/// The block's type, as it is written outside the block.
pub(crate) struct Owner {
    /// The generics of the block.
    pub(crate) generics: Generics,
    /// For messages: `Db` of `impl<S: Store> Db<S>`.
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) of_trait: Option<Path>,
    /// The types that the block gives names to, which are the trait's.
    pub(crate) associated: Vec<Ident>,
}

impl Home {
    /// The function that starts the user's.
    pub(crate) fn start(&self) -> TokenStream {
        match self {
            Self::Free => quote!(__tool_start),
            Self::Block(_) => quote!(Self::__tool_start),
        }
    }

    /// The user's function; each token but its name stands where the name does.
    pub(crate) fn function(&self, ident: &Ident) -> TokenStream {
        match self {
            Self::Free => quote!(#ident),
            Self::Block(owner) => {
                let this = owner.alias(ident.span());
                match &owner.of_trait {
                    None => quote::quote_spanned!(ident.span()=> <#this>::#ident),
                    Some(of_trait) => quote::quote_spanned!(ident.span()=> <#this as #of_trait>::#ident),
                }
            }
        }
    }

    /// What the user wrote in quotes, which may say `Self` still.
    pub(crate) fn outside(&self, tokens: TokenStream) -> TokenStream {
        match self {
            Self::Free => tokens,
            Self::Block(owner) => without_self(owner, tokens),
        }
    }

    /// The name that messages give to the user's function.
    pub(crate) fn path(&self, function: &str) -> String {
        match self {
            Self::Free => function.to_owned(),
            Self::Block(owner) => format!("{}::{function}", owner.name),
        }
    }
}

impl Owner {
    /// Without `Self` in what the block's first line says of it.
    pub(crate) fn outside(mut self) -> Result<Self> {
        if let Some(bounds) = &self.generics.where_clause {
            self.generics.where_clause = Some(syn::parse2(without_self(&self, bounds.to_token_stream()))?);
        }
        if !self.generics.params.is_empty() {
            let params = &self.generics.params;
            let params = without_self(&self, quote!(<#params>));
            self.generics.params = syn::parse2::<Generics>(params)?.params;
        }
        if let Some(of_trait) = &self.of_trait {
            self.of_trait = Some(syn::parse2(without_self(&self, of_trait.to_token_stream()))?);
        }
        Ok(self)
    }

    /// The block's type under the name that it has outside the block, where `Self` is something else.
    pub(crate) fn alias(&self, span: Span) -> TokenStream {
        let alias = Ident::new(ALIAS, span);
        let (_, arguments, _) = self.generics.split_for_impl();
        let arguments = arguments.as_turbofish();
        quote!(#alias #arguments)
    }
}

const ALIAS: &str = "__ToolSelf";

/// `type __ToolSelf<S> = Db<S>;`
pub(crate) fn alias_item(owner: &Owner) -> TokenStream {
    let alias = Ident::new(ALIAS, Span::mixed_site());
    let ty = &owner.ty;
    let mut generics = owner.generics.clone();
    generics.where_clause = None;
    for param in &mut generics.params {
        if let syn::GenericParam::Type(param) = param {
            param.colon_token = None;
            param.bounds.clear();
        }
    }
    quote!(type #alias #generics = #ty;)
}

/// `tokens` with the alias in place of `Self`, at any depth. Of a trait's own types only the trait knows.
pub(crate) fn without_self(owner: &Owner, tokens: TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let inner = without_self(owner, group.stream());
                let mut replaced = Group::new(group.delimiter(), inner);
                replaced.set_span(group.span());
                out.extend([TokenTree::Group(replaced)]);
            }
            TokenTree::Ident(ident) if ident == "Self" => {
                let alias = owner.alias(ident.span());
                let rest: Vec<TokenTree> = tokens.clone().take(3).collect();
                let is_associated = matches!(
                    rest.as_slice(),
                    [TokenTree::Punct(a), TokenTree::Punct(b), TokenTree::Ident(name)]
                        if a.as_char() == ':' && b.as_char() == ':' && owner.associated.contains(name)
                );
                match owner.of_trait.as_ref().filter(|_| is_associated) {
                    Some(of_trait) => out.extend(quote::quote_spanned!(ident.span()=> <#alias as #of_trait>)),
                    None => out.extend(alias),
                }
            }
            other => other.to_tokens(&mut out),
        }
    }
    out
}
