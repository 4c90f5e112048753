//! What no tool can be: rules that the macro can check by itself.

use std::collections::HashSet;

use proc_macro2::Span;
use syn::{
    FnArg, GenericArgument, GenericParam, Lifetime, PathArguments, PathSegment, ReturnType, Safety, Type,
    TypeImplTrait, TypeNever, TypeReference,
    ext::IdentExt,
    visit::{self, Visit},
};

use crate::{
    attr::Attr,
    errors::Errors,
    func::{self, Func},
    passing,
};

/// Longest name that any provider takes, in characters.
const LONGEST_NAME: usize = 128;

pub(crate) fn check(attr: &Attr, func: &Func, errors: &mut Errors) {
    attributes(func, errors);
    name(attr, func, errors);
    hints(attr, errors);
    qualifiers(func, errors);
    generics(func, errors);
    inputs(func, errors);
    parameter_names(func, errors);
    output(func, errors);
}

fn attributes(func: &Func, errors: &mut Errors) {
    for again in func.attrs.iter().filter(|attr| func::is_tool(attr)) {
        errors.push(again, "`#[tool]` is given twice, a function is one tool; put all keys into one");
    }
}

fn name(attr: &Attr, func: &Func, errors: &mut Errors) {
    let (name, span) = match attr.name.get() {
        Some(name) => (name.value(), name.span()),
        None => (func.sig.ident.unraw().to_string(), func.sig.ident.span()),
    };
    let is_known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() {
        errors.push_at(span, "the name of a tool can't be empty, the model calls it by its name; write one");
    } else if name.chars().count() > LONGEST_NAME {
        errors.push_at(
            span,
            format!(
                "the name of the tool is too long, no provider takes more than {LONGEST_NAME} characters; shorten it"
            ),
        );
    } else if !name.chars().all(is_known) {
        let better: String = name.chars().map(|c| if is_known(c) { c } else { '_' }).collect();
        let better = if better.chars().any(|c| c.is_ascii_alphanumeric()) { better } else { "..".to_owned() };
        errors.push_at(
            span,
            format!(
                "`{name}` can't be the name of a tool, providers take only ASCII letters, digits, `_`, `-` and `.`; \
                 write `name = \"{better}\"`"
            ),
        );
    }
}

fn hints(attr: &Attr, errors: &mut Errors) {
    if let (Some(_), Some(destructive)) = (attr.read_only.key(), attr.destructive.key()) {
        errors.push(
            destructive,
            "`read_only` and `destructive` contradict each other, what changes nothing destroys nothing; keep one",
        );
    }
}

fn qualifiers(func: &Func, errors: &mut Errors) {
    if let Safety::Unsafe(token) = &func.sig.safety {
        errors.push(
            token,
            "a tool can't be `unsafe`, the model can't keep its contract; check the arguments in a safe function that \
             calls it",
        );
    }
    if let Some(abi) = &func.sig.abi {
        errors.push(abi, "a tool can't be `extern`, it is called from Rust only; remove it");
    }
    if let Some(variadic) = &func.sig.variadic {
        errors.push(variadic.dots, "a tool can't be variadic, its JSON schema lists every parameter; take a `Vec`");
    }
}

fn generics(func: &Func, errors: &mut Errors) {
    for param in &func.sig.generics.params {
        let ident = match param {
            // What is decoded lives as long as the call, whatever the lifetime is named.
            GenericParam::Lifetime(_) => continue,
            GenericParam::Type(param) => &param.ident,
            GenericParam::Const(param) => &param.ident,
        };
        errors.push(
            ident,
            format!(
                "a tool can't be generic, its JSON schema is fixed when it is registered; use a concrete {} for `{ident}`",
                if matches!(param, GenericParam::Const(_)) { "value" } else { "type" },
            ),
        );
    }
}

fn inputs(func: &Func, errors: &mut Errors) {
    for input in &func.sig.inputs {
        match input {
            FnArg::Receiver(receiver) => errors.push(
                receiver.self_token,
                "a tool can't have a receiver, the model has no value to call it on; write a free function",
            ),
            FnArg::Typed(input) => input_type(&input.ty, errors),
        }
    }
}

fn input_type(ty: &Type, errors: &mut Errors) {
    let Some((reference, _)) = passing::reference(ty) else {
        return Input(errors).visit_type(ty);
    };
    if let Some(token) = &reference.mutability {
        errors.push(
            token,
            "a parameter of a tool can't be `&mut`, nobody reads the argument after the call; take it by value and \
             return what you make of it",
        );
    }
    if let Some(lifetime) = reference.lifetime.as_ref().filter(|lifetime| lifetime.ident == "static") {
        errors.push(
            lifetime,
            "a parameter of a tool can't be `'static`, its argument lives as long as the call; remove the lifetime, or \
             take an owned type",
        );
    }
    if let Type::TraitObject(object) = passing::peeled(&reference.elem) {
        errors.push(
            object,
            "a parameter of a tool can't be `dyn Trait`, there is no type to decode into; use a concrete type",
        );
    }
    Input(errors).visit_type(&reference.elem);
}

/// Looks for what can't be decoded, at any depth.
struct Input<'a>(&'a mut Errors);

impl Visit<'_> for Input<'_> {
    fn visit_type_impl_trait(&mut self, ty: &TypeImplTrait) {
        self.0.push(
            ty.impl_token,
            "a parameter of a tool can't be `impl Trait`, its JSON schema is fixed when it is registered; use a \
             concrete type",
        );
    }

    fn visit_type_reference(&mut self, ty: &TypeReference) {
        self.0.push(
            ty.and_token,
            "a parameter of a tool can't hold a reference inside its type, arguments are decoded into owned values; \
             use `String` for `&str`, `Vec<T>` for `&[T]`, `T` for `&T`",
        );
    }
}

fn parameter_names(func: &Func, errors: &mut Errors) {
    let mut seen: HashSet<String> = HashSet::new();
    for param in &func.params {
        let own = match param.field.rename.get() {
            Some(rename) => (rename.value(), rename.span()),
            None => (param.ident.unraw().to_string(), param.ident.span()),
        };
        let aliases = param.field.aliases.iter().map(|alias| (alias.value(), alias.span()));
        for (name, span) in std::iter::once(own).chain(aliases) {
            if name.is_empty() {
                errors.push_at(span, "a parameter can't have an empty name, the model gives it by its name; write one");
            } else if !seen.insert(name.clone()) {
                errors.push_at(
                    span,
                    format!("`{name}` is the name of two arguments, the call could give only one of them; rename one"),
                );
            }
        }
    }
}

fn output(func: &Func, errors: &mut Errors) {
    if let ReturnType::Type(_, ty) = &func.sig.output {
        let mut output = Output { errors, loan: None };
        output.visit_type(ty);
        if let Some(span) = output.loan {
            errors.push_at(
                span,
                "the result of a tool can't borrow from a parameter, it outlives the call; return an owned type, for \
                 example `String` for `&str` or `Cow<'static, str>` for `Cow<str>`",
            );
        }
    }
}

/// Looks for what can't be returned, at any depth.
struct Output<'a> {
    errors: &'a mut Errors,
    /// The first place that borrows.
    loan: Option<Span>,
}

impl Visit<'_> for Output<'_> {
    fn visit_type_impl_trait(&mut self, ty: &TypeImplTrait) {
        self.errors.push(
            ty.impl_token,
            "the result of a tool can't be `impl Trait`, the runtime needs its type; return a concrete type",
        );
    }

    fn visit_type_never(&mut self, ty: &TypeNever) {
        self.errors.push(ty, "a tool has to return, the model waits for its result; return `()`, or a `Result`");
    }

    fn visit_type_reference(&mut self, ty: &TypeReference) {
        if ty.lifetime.is_none() {
            self.loan.get_or_insert(ty.and_token.span);
        }
        visit::visit_type_reference(self, ty);
    }

    fn visit_path_segment(&mut self, segment: &PathSegment) {
        let is_elided = match &segment.arguments {
            PathArguments::AngleBracketed(args) => {
                !args.args.iter().any(|arg| matches!(arg, GenericArgument::Lifetime(_)))
            }
            _ => false,
        };
        if segment.ident == "Cow" && is_elided {
            self.loan.get_or_insert(segment.ident.span());
        }
        visit::visit_path_segment(self, segment);
    }

    fn visit_lifetime(&mut self, lifetime: &Lifetime) {
        if lifetime.ident != "static" {
            self.loan.get_or_insert(lifetime.span());
        }
    }
}
