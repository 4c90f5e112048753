//! `#[inject]` parameters: what a function gets from the registry, and not from the model.

use proc_macro2::Span;
use syn::{Attribute, Meta, Pat, PatType, Type, TypeReference, ext::IdentExt, spanned::Spanned};

use crate::{
    errors::Errors,
    field,
    passing::{self, Passing},
};

/// One parameter that takes shared state, or the call's context.
pub(crate) struct State {
    /// Its name, for messages to the developer.
    pub(crate) name: String,
    /// What is lent: never [`Passing::Value`].
    pub(crate) passing: Passing,
}

pub(crate) fn is_inject(attr: &Attribute) -> bool {
    attr.path().is_ident("inject")
}

pub(crate) fn parse(input: &PatType, errors: &mut Errors) -> Option<State> {
    for attr in &input.attrs {
        attribute(attr, errors);
    }
    let mut marks = input.attrs.iter().filter(|attr| is_inject(attr));
    if let Some(again) = marks.nth(1) {
        errors.push(again, "`#[inject]` is given twice; remove one");
    }
    let name = match &*input.pat {
        Pat::Ident(pat) if pat.subpat.is_none() => pat.ident.unraw().to_string(),
        _ => "_".to_owned(),
    };
    let passing = passing::of(&input.ty);
    match passing::reference(&input.ty) {
        Some((reference, _)) if is_lendable(reference, errors) => Some(State { name, passing }),
        Some(_) => None,
        None => {
            let simple = match passing::peeled(&input.ty) {
                Type::Path(path) => path.path.get_ident().map(ToString::to_string),
                _ => None,
            };
            let message = match simple.as_deref().unwrap_or("T") {
                "CallContext" => {
                    "an `#[inject]` parameter is lent, this one for the call; write `&CallContext`".to_owned()
                }
                ty => format!(
                    "an `#[inject]` parameter is lent, all calls share the one value; write `&{ty}`, or `Option<&{ty}>` \
                     where it may be missing"
                ),
            };
            errors.push(&input.ty, message);
            None
        }
    }
}

fn attribute(attr: &Attribute, errors: &mut Errors) {
    if is_inject(attr) {
        if !matches!(attr.meta, Meta::Path(_)) {
            errors.push(
                attr,
                "`#[inject]` takes nothing, the parameter's type says which state it is; write `#[inject]`",
            );
        }
    } else if !field::is_rustc(attr) {
        errors.push(
            attr,
            "this has no effect on an `#[inject]` parameter, the model neither sees nor gives it; remove it",
        );
    }
}

fn is_lendable(reference: &TypeReference, errors: &mut Errors) -> bool {
    let inner = passing::peeled(&reference.elem);
    let wrong: Option<(Span, &str)> = if let Some(token) = &reference.mutability {
        Some((
            token.span(),
            "an `#[inject]` parameter can't be `&mut`, calls run at the same time; put a `Mutex` or an atomic into \
             the state",
        ))
    } else if let Some(lifetime) = reference.lifetime.as_ref().filter(|lifetime| lifetime.ident == "static") {
        Some((
            lifetime.span(),
            "an `#[inject]` parameter can't be `'static`, it is lent for the call; remove the lifetime",
        ))
    } else {
        match inner {
            Type::TraitObject(_) => Some((
                inner.span(),
                "state is found by its type, and a `dyn Trait` has no type of its own; take `&Arc<dyn Trait>` or \
                 `&Box<dyn Trait>`",
            )),
            Type::ImplTrait(_) => {
                Some((inner.span(), "state is found by its type, and `impl Trait` could be any; take a concrete type"))
            }
            Type::Slice(_) => Some((inner.span(), "state has a type of known size; take `&Vec<T>`")),
            Type::Path(path) if path.path.is_ident("str") => {
                Some((inner.span(), "state has a type of known size; take `&String`, or a type of its own"))
            }
            _ => None,
        }
    };
    if let Some((span, message)) = wrong {
        errors.push_at(span, message);
    }
    wrong.is_none()
}

impl State {
    pub(crate) fn is_optional(&self) -> bool {
        matches!(self.passing, Passing::OptionLoan(_))
    }
}
