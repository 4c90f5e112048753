//! A `#[tool] impl` block: its tools, and everything else in it unread.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Attribute, GenericParam, Generics, Ident, ImplItem, ItemImpl, Lifetime, LitStr, Meta, Result, Signature, Type,
    TypeParamBound, Visibility,
    parse::{ParseStream, Parser},
    visit::Visit,
};

use crate::{
    attr::{self, Attr, BlockAttr},
    errors::Errors,
    func::{self, Func},
    home::{self, Owner},
    passing, valid,
};

pub(crate) struct Block {
    /// Without its items.
    item: ItemImpl,
    members: Vec<TokenStream>,
    pub(crate) tools: Vec<BlockTool>,
    /// No block where its type can't have tools.
    pub(crate) home: home::Home,
}

/// One function of the block that is a tool.
pub(crate) struct BlockTool {
    pub(crate) attr: Attr,
    /// As it reads outside the block, where `Self` is something else.
    pub(crate) func: Func,
    pub(crate) cfgs: Vec<Attribute>,
}

/// Whether the item is an `impl` block. Looks at its first tokens only: every tool of a program comes by here.
pub(crate) fn is_block(item: &TokenStream) -> bool {
    let mut tokens = item.clone().into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) if ident == "unsafe" => {}
            TokenTree::Ident(ident) => return ident == "impl",
            // What `macro_rules` passed on.
            TokenTree::Group(group) => return group.delimiter() == Delimiter::None && is_block(&group.stream()),
            // An attribute.
            TokenTree::Punct(_) => drop(tokens.next()),
            TokenTree::Literal(_) => return false,
        }
    }
    false
}

/// Nothing where the block can't be read; `errors` knows.
pub(crate) fn parse(attr: &BlockAttr, item: &TokenStream, errors: &mut Errors) -> Option<Block> {
    let mut header: Vec<TokenTree> = item.clone().into_iter().collect();
    let inside = match header.pop() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => group.stream(),
        other => {
            errors
                .push(other, "this is no `impl` block that can be read; put `#[tool]` on its functions' own wrappers");
            return None;
        }
    };
    let header: TokenStream = header.into_iter().collect();
    let parsed = syn::parse2::<ItemImpl>(quote!(#header {})).and_then(|mut item| {
        let mut members = Vec::new();
        let split = |input: ParseStream<'_>| {
            item.attrs.extend(input.call(Attribute::parse_inner)?);
            while !input.is_empty() {
                members.push(member(input)?);
            }
            Ok(())
        };
        split.parse2(inside)?;
        let owner = Owner {
            generics: lasting(&item.generics),
            name: name_of(&item.self_ty),
            ty: (*item.self_ty).clone(),
            of_trait: item.trait_.as_ref().map(|(path, _)| path.clone()),
            associated: members.iter().filter_map(|member| member.associated.clone()).collect(),
        };
        Ok((item, members, owner.outside()?))
    });
    let (item, members, owner) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            errors.add(error);
            return None;
        }
    };
    let mut block = Block { item, members: Vec::new(), tools: Vec::new(), home: home::Home::Free };
    for member in members {
        block.take(attr, &owner, member, errors);
    }
    let of_type = type_of(&owner);
    if block.tools.is_empty() && errors.is_empty() && of_type.is_ok() {
        errors.push(block.item.impl_token, "no function of this block is a tool; put `#[tool]` on those that are");
    }
    match of_type {
        Ok(()) => block.home = home::Home::Block(Box::new(owner)),
        Err(error) => errors.add(error),
    }
    Some(block)
}

impl Block {
    fn take(&mut self, block: &BlockAttr, owner: &Owner, member: Member, errors: &mut Errors) {
        let Member { mut attrs, rest, is_function, .. } = member;
        attrs.retain(|attr| {
            let hides_tool = attr.path().is_ident("cfg_attr")
                && attr.to_token_stream().to_string().split(|c: char| !c.is_alphanumeric()).any(|word| word == "tool");
            if hides_tool {
                errors.push(
                    attr,
                    "a block can't see a `#[tool]` inside `cfg_attr`, it is read before that is; put `cfg` on two \
                     versions of the function",
                );
            }
            !hides_tool
        });
        let Some(at) = attrs.iter().position(|attr| func::is_tool(attr, block.rt.get())) else {
            self.members.push(quote!(#(#attrs)* #rest));
            return;
        };
        let mark = attrs.remove(at);
        if !is_function {
            errors.push(&mark, "`#[tool]` goes on a function, this item can't be called; remove it");
            self.members.push(quote!(#(#attrs)* #rest));
            return;
        }
        let original = quote!(#(#attrs)* #rest);
        let Some(shown) = func::parse(&original, errors) else {
            self.members.push(original);
            return;
        };
        let args = match &mark.meta {
            Meta::List(list) => list.tokens.clone(),
            _ => TokenStream::new(),
        };
        let mut attr = attr::parse(home::without_self(owner, args), errors);
        attr.prefix = block.prefix.get().map(LitStr::value).unwrap_or_default();
        valid::check(&attr, &shown, errors);
        valid::check_method(&attr, &shown, errors);
        self.members.push(shown.to_token_stream());
        // Whatever is wrong has been said of the original.
        let mut silent = Errors::default();
        if let Some(func) = func::parse(&home::without_self(owner, original), &mut silent) {
            let cfgs = attrs.into_iter().filter(|attr| attr.path().is_ident("cfg")).collect();
            self.tools.push(BlockTool { attr, func, cfgs });
        }
    }

    /// The visibility of what the block gets: that of its tools.
    pub(crate) fn vis(&self) -> Visibility {
        let mut tools = self.tools.iter().map(|tool| &tool.func.vis);
        let is_public = self.item.trait_.is_some() || tools.clone().any(|vis| matches!(vis, Visibility::Public(_)));
        if is_public { syn::parse_quote!(pub) } else { tools.next().cloned().unwrap_or(Visibility::Inherited) }
    }
}

/// The block as the user wrote it, without what only this macro reads.
impl ToTokens for Block {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let printed = self.item.to_token_stream();
        let mut printed: Vec<TokenTree> = printed.into_iter().collect();
        if let Some(TokenTree::Group(group)) = printed.pop() {
            let (inner, members) = (group.stream(), &self.members);
            let mut replaced = proc_macro2::Group::new(Delimiter::Brace, quote!(#inner #(#members)*));
            replaced.set_span(group.span());
            tokens.extend(printed);
            tokens.extend([TokenTree::Group(replaced)]);
        }
    }
}

/// One item of the block.
struct Member {
    attrs: Vec<Attribute>,
    rest: TokenStream,
    is_function: bool,
    /// The name of an associated type.
    associated: Option<Ident>,
}

fn member(input: ParseStream<'_>) -> Result<Member> {
    let attrs = input.call(Attribute::parse_outer)?;
    let ahead = input.fork();
    ahead.parse::<Visibility>()?;
    if ahead.parse::<Signature>().is_ok() && ahead.peek(syn::token::Brace) {
        let (vis, signature, body): (Visibility, Signature, TokenTree) =
            (input.parse()?, input.parse()?, input.parse()?);
        return Ok(Member { attrs, rest: quote!(#vis #signature #body), is_function: true, associated: None });
    }
    let item: ImplItem = input.parse()?;
    let associated = match &item {
        ImplItem::Type(item) => Some(item.ident.clone()),
        _ => None,
    };
    Ok(Member { attrs, rest: item.to_token_stream(), is_function: false, associated })
}

/// What the registry keeps can't borrow, so the tools are those of types that don't.
fn lasting(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    // Not in a `where`: where there is none, rustc would propose to add to ours, which nobody sees.
    for param in generics.type_params_mut() {
        let lasting = Lifetime::new("'static", param.ident.span());
        param.colon_token.get_or_insert_default();
        param.bounds.push(TypeParamBound::Lifetime(lasting));
    }
    generics
}

/// `Db` of `crate::Db<S>`.
fn name_of(ty: &Type) -> String {
    match passing::peeled(ty) {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default(),
        other => other.to_token_stream().to_string(),
    }
}

/// What the type of the block may be.
fn type_of(owner: &Owner) -> Result<()> {
    if let Type::TraitObject(object) = passing::peeled(&owner.ty) {
        return Err(syn::Error::new_spanned(
            object,
            "the type of a block of tools can't be `dyn Trait`, the registry keeps a value of known type; put `#[tool]` \
             on the block of a struct that holds a `Box` of it",
        ));
    }
    let named = owner.generics.params.iter().find_map(|param| match param {
        GenericParam::Lifetime(param) => Some(param.lifetime.clone()),
        _ => None,
    });
    let mut borrows = Borrows(named);
    borrows.visit_type(&owner.ty);
    borrows.0.map_or(Ok(()), |lifetime| {
        Err(syn::Error::new_spanned(
            lifetime,
            "the type of a block of tools can't borrow, the registry keeps the value as long as it likes; hold owned \
             data, or an `Arc`",
        ))
    })
}

/// The first lifetime that is not `'static`.
struct Borrows(Option<Lifetime>);
impl Visit<'_> for Borrows {
    fn visit_lifetime(&mut self, lifetime: &Lifetime) {
        if lifetime.ident != "static" {
            self.0.get_or_insert_with(|| lifetime.clone());
        }
    }
}
