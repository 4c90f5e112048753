//! How an argument is kept and handed to the function.

use syn::{
    GenericArgument, Lifetime, PathArguments, Type, TypeReference,
    visit_mut::{self, VisitMut},
};

/// How the function takes its argument. Types are without lifetimes of the user's.
pub(crate) enum Passing {
    /// `x: T`
    Value(Type),
    /// `x: &T`
    Loan(Type),
    /// `x: Option<&T>`
    OptionLoan(Type),
}

pub(crate) fn of(ty: &Type) -> Passing {
    match reference(ty) {
        Some((TypeReference { mutability: None, elem, .. }, Place::Outermost)) => Passing::Loan(owned(peeled(elem))),
        Some((TypeReference { mutability: None, elem, .. }, Place::InOption)) => {
            Passing::OptionLoan(owned(peeled(elem)))
        }
        _ => Passing::Value(owned(peeled(ty))),
    }
}

/// Where a reference stands that the macro takes care of.
pub(crate) enum Place {
    Outermost,
    InOption,
}

/// The reference of `&T` and `Option<&T>`.
pub(crate) fn reference(ty: &Type) -> Option<(&TypeReference, Place)> {
    match peeled(ty) {
        Type::Reference(reference) => Some((reference, Place::Outermost)),
        other => match option_of(other) {
            Some(Type::Reference(reference)) => Some((reference, Place::InOption)),
            _ => None,
        },
    }
}

impl Passing {
    /// The type without the references that the macro takes care of.
    pub(crate) fn inner(&self) -> &Type {
        match self {
            Self::Value(ty) | Self::Loan(ty) | Self::OptionLoan(ty) => ty,
        }
    }
}

/// Without the invisible groups of `macro_rules` and without parentheses.
pub(crate) fn peeled(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peeled(&group.elem),
        Type::Paren(paren) => peeled(&paren.elem),
        _ => ty,
    }
}

/// `T` of what is spelled `Option<T>`. A spelling is all there is: `Option<&T>` can't be decoded, so its type can't
/// be asked.
fn option_of(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    match args.args.first() {
        Some(GenericArgument::Type(inner)) => Some(peeled(inner)),
        _ => None,
    }
}

/// The type as it is when nothing is borrowed: `Cow<'_, str>` and `Cow<str>` are `Cow<'static, str>`.
fn owned(ty: &Type) -> Type {
    let mut ty = ty.clone();
    Unborrow.visit_type_mut(&mut ty);
    ty
}

struct Unborrow;

impl VisitMut for Unborrow {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        *lifetime = Lifetime::new("'static", lifetime.span());
    }

    fn visit_path_segment_mut(&mut self, segment: &mut syn::PathSegment) {
        visit_mut::visit_path_segment_mut(self, segment);
        if let PathArguments::AngleBracketed(args) = &mut segment.arguments {
            let has_lifetime = args.args.iter().any(|arg| matches!(arg, GenericArgument::Lifetime(_)));
            if segment.ident == "Cow" && !has_lifetime {
                let lifetime = Lifetime::new("'static", segment.ident.span());
                args.args.insert(0, GenericArgument::Lifetime(lifetime));
            }
        }
    }
}
