//! What no tool can be: rules that the macro can check by itself.

use std::collections::HashSet;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::{
    GenericArgument, GenericParam, Ident, Lifetime, Macro, PathArguments, PathSegment, ReceiverKind, ReturnType,
    Safety, Type, TypeImplTrait, TypeNever, TypeReference,
    ext::IdentExt,
    visit::{self, Visit},
};

use crate::{
    attr::Attr,
    errors::Errors,
    form::LoopKey,
    func::{self, Func, Param},
    near, passing,
};

/// Longest name that any provider takes, in characters.
const LONGEST_NAME: usize = 128;

pub(crate) fn check(attr: &Attr, func: &Func, errors: &mut Errors) {
    attributes(func, errors);
    name(attr, func, errors);
    hints(attr, errors);
    time(attr, func, errors);
    qualifiers(func, errors);
    generics(func, errors);
    for param in &func.params {
        input_type(&param.ty, errors);
    }
    parameter_names(func, errors);
    loop_key(attr, func, errors);
    output(func, errors);
}

/// What only a free function is asked.
pub(crate) fn check_free(func: &Func, errors: &mut Errors) {
    if let Some(receiver) = func.sig.receiver() {
        errors.push(
            receiver.self_token,
            "a method needs a value to be called on, which its block gives; put `#[tool]` on the `impl` block too, \
             and give the registry `value.into_tools()`",
        );
    } else if let Some(ident) = own_type(func) {
        // Of a block's function that does not say `Self`, nobody can tell that it is one.
        errors.push(ident, "only a block says what `Self` is; put `#[tool]` on the `impl` block too");
    }
}

/// The first `Self` of the signature.
fn own_type(func: &Func) -> Option<Ident> {
    struct OwnType(Option<Ident>);
    impl Visit<'_> for OwnType {
        fn visit_ident(&mut self, ident: &Ident) {
            if self.0.is_none() && ident == "Self" {
                self.0 = Some(ident.clone());
            }
        }

        fn visit_macro(&mut self, mac: &Macro) {
            self.visit_tokens(mac.tokens.clone());
        }
    }

    impl OwnType {
        fn visit_tokens(&mut self, tokens: TokenStream) {
            for token in tokens {
                match token {
                    TokenTree::Ident(ident) => self.visit_ident(&ident),
                    TokenTree::Group(group) => self.visit_tokens(group.stream()),
                    _ => {}
                }
            }
        }
    }
    let mut found = OwnType(None);
    found.visit_signature(&func.sig);
    found.0
}

/// What only a function of a block is asked.
pub(crate) fn check_method(attr: &Attr, func: &Func, errors: &mut Errors) {
    for key in [attr.handle.key(), attr.rt.key()].into_iter().flatten() {
        let why = if key == "handle" {
            "a function of a block comes with `into_tools`, it has no handle; remove it"
        } else {
            "`crate` is said once for all tools of a block; put it on the `#[tool]` of the block"
        };
        errors.push(key, why);
    }
    let Some(receiver) = func.sig.receiver() else { return };
    let (is_shared, lifetime) = match &receiver.kind {
        ReceiverKind::Reference(_, lifetime, mutability) => (mutability.is_none(), lifetime.as_ref()),
        ReceiverKind::Typed(_, ty) => match passing::peeled(ty) {
            Type::Reference(TypeReference { mutability: None, lifetime, elem, .. }) => {
                let is_own = matches!(passing::peeled(elem), Type::Path(path) if path.path.is_ident("Self"));
                (is_own, lifetime.as_ref())
            }
            _ => (false, None),
        },
        _ => (false, None),
    };
    if !is_shared {
        errors.push(
            receiver,
            "a tool takes `&self`, all calls share one value and run at the same time; write `&self`, and put what \
             changes into a `Mutex` or an atomic",
        );
    }
    if let Some(lifetime) = lifetime.filter(|lifetime| lifetime.ident == "static") {
        errors
            .push(lifetime, "the value of a tool can't be `'static`, it lives as long as the registry; write `&self`");
    }
}

fn time(attr: &Attr, func: &Func, errors: &mut Errors) {
    let is_async = func.sig.asyncness.is_some();
    if let (Some(key), true) = (attr.blocking.key(), is_async) {
        errors.push(
            key,
            "`blocking` moves a function that blocks off the async runtime, and an `async fn` does not block; remove \
             one of them",
        );
    }
    if let (Some(key), None, false) = (attr.timeout.key(), attr.blocking.key(), is_async) {
        errors.push(
            key,
            "`timeout` can't stop a function that isn't `async`, it runs inside the caller's task; add `blocking`, or \
             write `async fn`",
        );
    }
}

fn loop_key(attr: &Attr, func: &Func, errors: &mut Errors) {
    if let Some(LoopKey::By(syn::Expr::Path(path))) = attr.loop_key.get() {
        let is_parameter = |word: &Ident| func.params.iter().any(|param| param.is_called(&word.unraw().to_string()));
        if let Some(word) = path.path.get_ident().filter(|word| is_parameter(word)) {
            let message =
                format!("`loop_key = ..` takes a function, and this is a parameter; write `loop_key({word})`");
            errors.push(word, message);
        }
    }
    let Some(LoopKey::Only(names) | LoopKey::Except(names)) = attr.loop_key.get() else { return };
    for name in names {
        let word = name.value();
        if !func.params.iter().any(|param| param.is_called(&word)) {
            let known: Vec<String> = func.params.iter().map(Param::name).collect();
            let suggestion = near::suggestion(&word, known.iter().map(String::as_str));
            errors.push(name, format!("the function has no parameter `{word}` to compare; {suggestion}"));
        }
    }
}

fn attributes(func: &Func, errors: &mut Errors) {
    for again in func.attrs.iter().filter(|attr| func::is_tool(attr, None)) {
        errors.push(again, "`#[tool]` is given twice, a function is one tool; put all keys into one");
    }
}

fn name(attr: &Attr, func: &Func, errors: &mut Errors) {
    let (name, span) = func.tool_name(attr);
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
        let known: Vec<&str> = name.split(|c| !is_known(c)).filter(|part| !part.is_empty()).collect();
        let better = known.join("_");
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

fn input_type(ty: &Type, errors: &mut Errors) {
    let Some((reference, _)) = passing::reference(ty) else {
        // rustc says so of the function; the macro's part would be three errors more.
        let unsized_form = match passing::peeled(ty) {
            Type::Path(path) if path.path.is_ident("str") => Some("`&str` or `String`"),
            Type::Slice(_) => Some("`&[T]` or `Vec<T>`"),
            _ => None,
        };
        if let Some(form) = unsized_form {
            errors.push(ty, format!("a parameter has a type of known size, and this has none; write {form}"));
        }
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
    let mut idents: HashSet<&Ident> = HashSet::new();
    for param in &func.params {
        if !idents.insert(&param.ident) && param.field.rename.get().is_none() {
            // rustc says so too.
            continue;
        }
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
