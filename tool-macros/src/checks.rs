//! Expressions that rustc checks for the user. Each of their tokens stands where the user's stands: rustc joins the
//! spans of an expression's tokens, and one from elsewhere moves the error to `#[tool]`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Expr, Ident, ReturnType, Type, spanned::Spanned};

use crate::{
    attr::Attr,
    docs::{self, Docs},
    field::Default,
    func::{Func, Param},
    garde,
    located::located,
    passing::Passing,
    state::State,
};

/// The type that is decoded.
pub(crate) fn stored(passing: &Passing) -> TokenStream {
    match passing {
        Passing::Value(ty) => quote!(#ty),
        Passing::Loan(ty) => located!(ty.span() => <#ty as __tool_rt::Borrowed>::Owned),
        Passing::OptionLoan(ty) => {
            located!(ty.span() => ::core::option::Option<<#ty as __tool_rt::Borrowed>::Owned>)
        }
    }
}

/// `(first, second)`; of more than six, as the runtime's `Params` has it, `(first, .., sixth, (seventh, eighth))`.
pub(crate) fn list(items: &[impl ToTokens]) -> TokenStream {
    match items.split_at_checked(6) {
        Some((items, rest)) if !rest.is_empty() => {
            let rest = list(rest);
            quote!((#(#items,)* #rest,))
        }
        _ => quote!((#(#items,)*)),
    }
}

/// One parameter.
// Input:
//     /// Days of forecast.
//     #[serde(default = "three")] #[schemars(range(min = 1))] days: u8
// Output:
//     Param::<u8>::new()
//         .description("Days of forecast.")
//         .default(|| three(), |value| (&&DefaultProbe::new(value)).__tool_json())
//         .edit(|edit| edit.minimum(1u64))
pub(crate) fn param(param: &Param) -> TokenStream {
    let span = param.passing.inner().span();
    let ty = stored(&param.passing);
    let docs = match &param.field.docs {
        Docs::Text(text) if text.is_empty() => None,
        Docs::Text(text) => Some(quote!(.description(#text))),
        Docs::Pieces(pieces) => {
            let text = docs::joined(pieces);
            Some(quote!(.description(#text)))
        }
    };
    let new = constructor(span, &ty, param);
    let default = param.field.default.get().map(|default| default_of(default, &ty, param));
    let edit = edits(param);
    let check = check(&ty, param);
    quote!(#new #docs #default #edit #check)
}

/// The rules of garde as one function pointer, `fn(&T) -> Result<(), String>`.
fn check(ty: &TokenStream, param: &Param) -> Option<TokenStream> {
    let (first, _) = param.field.checks.first()?;
    let value = garde::value(*first);
    let checks = param.field.checks.iter().map(|(span, check)| located!(*span => __tool_rt::garde_rule(#check)?;));
    Some(located!(*first => .check(__tool_rt::with_garde! { |#value: &#ty| {
        #(#checks)*
        ::core::result::Result::Ok(())
    } })))
}

/// What the type says, or its parts where an attribute replaces one.
fn constructor(span: Span, ty: &TokenStream, param: &Param) -> TokenStream {
    let (schema, decode) = (param.field.schema.get(), param.field.decode.get());
    if schema.is_none() && decode.is_none() {
        return located!(span => __tool_rt::Param::<#ty>::new());
    }
    let schema = schema.map_or_else(
        || located!(span => __tool_rt::schema_of::<#ty>),
        |with| located!(with.span() => __tool_rt::schema_of::<#with>),
    );
    let (decode, missing) = match decode {
        Some((at, function)) => (
            located!(*at => |__tool_text| __tool_rt::decode_with(__tool_text, |__tool_reader| #function(__tool_reader))),
            located!(*at => __tool_rt::required),
        ),
        None => (located!(span => __tool_rt::decode::<#ty>), located!(span => __tool_rt::missing::<#ty>)),
    };
    located!(span => __tool_rt::Param::<#ty>::from_parts(#schema, #decode, #missing))
}

fn default_of(default: &Default, ty: &TokenStream, param: &Param) -> TokenStream {
    let (span, value) = match default {
        Default::Trait(span) => (*span, located!(*span => ::core::default::Default::default())),
        Default::Path(path) => (path.span(), located!(path.span() => #path())),
    };
    // A decoding function may want another form than the one that `Serialize` gives.
    let json = if param.field.decode.get().is_some() {
        located!(span => |_| ::core::option::Option::None)
    } else {
        located!(span => |__tool_value: &#ty| {
            use __tool_rt::shapes::*;
            (&&__tool_rt::DefaultProbe::new(__tool_value)).__tool_json()
        })
    };
    located!(span => .default(|| #value, #json))
}

fn edit_name(span: Span) -> Ident {
    Ident::new("__tool_edit", Span::mixed_site().located_at(span))
}

fn edits(param: &Param) -> Option<TokenStream> {
    let edits = param.field.edits.iter().map(|edit| {
        let method = Ident::new(edit.method, edit.span);
        let args = &edit.args;
        let edit_name = edit_name(edit.span);
        located!(edit.span => #edit_name.#method(#args);)
    });
    let edits: Vec<TokenStream> = edits.collect();
    let name = edit_name(Span::mixed_site());
    (!edits.is_empty()).then(|| quote!(.edit(|#name| { #(#edits)* })))
}

/// What becomes of the output; the hook as a function pointer, `Option<fn(&T) -> View>`.
pub(crate) fn ending(output: Span, hook: Option<&Expr>) -> TokenStream {
    let Some(hook) = hook else {
        return located!(output => &__tool_rt::Ending::PLAIN);
    };
    let hook = located!(hook.span() => __tool_rt::Some(
        |__tool_value| __tool_rt::to_model_output(__tool_value, #hook)
    ));
    located!(output => &__tool_rt::Ending { hook: #hook, able: __tool_rt::PhantomData })
}

/// The place of the return type, or of the function's name where there is none.
pub(crate) fn output_span(func: &Func) -> Span {
    match &func.sig.output {
        ReturnType::Type(_, ty) => ty.span(),
        ReturnType::Default => func.sig.ident.span(),
    }
}

/// The return type's shape, and what its value can do.
// Output:
//     let __tool_probe = Probe::<Result<Weather, E>>::new();
//     let __tool_shape = (&&&&__tool_probe).__tool_shape();
//     let __tool_able = (&&&&ValueProbe::of(__tool_shape, &__tool_probe)).__tool_able();
//     retried(__tool_shape, &__tool_probe);                       (with `retries`)
pub(crate) fn shape(attr: &Attr, func: &Func) -> TokenStream {
    let unit: Type = syn::parse_quote!(());
    let output = match &func.sig.output {
        ReturnType::Type(_, ty) => &**ty,
        ReturnType::Default => &unit,
    };
    let span = output_span(func);
    let retried =
        attr.retries.key().map(|key| located!(key.span() => __tool_rt::retried(__tool_shape, &__tool_probe);));
    located!(span =>
        let __tool_probe = __tool_rt::Probe::<#output>::new();
        let __tool_shape = (&&&&__tool_probe).__tool_shape();
        let __tool_able = (&&&&__tool_rt::ValueProbe::of(__tool_shape, &__tool_probe)).__tool_able();
        #retried
    )
}

/// The local that has the call's values.
pub(crate) fn slots() -> Ident {
    Ident::new("__tool_slots", Span::mixed_site())
}

/// One entry of the list of what the tool needs.
pub(crate) fn need(state: &State) -> TokenStream {
    let (name, ty) = (&state.name, state.passing.inner());
    let optional = state.is_optional().then(|| quote!(.optional()));
    located!(ty.span() => __tool_rt::Need::of::<#ty>(#name) #optional)
}

/// The local that lends shared state; a registry without it would not have been built.
pub(crate) fn lend(local: &Ident, state: &State) -> TokenStream {
    let ty = state.passing.inner();
    let lent = located!(ty.span() => __tool_rt::Given::state::<#ty>(__tool_given));
    if state.is_optional() { quote!(let #local = #lent;) } else { quote!(let #local = #lent?;) }
}

/// Refuses `key` where the runtime lacks the feature that it takes.
pub(crate) fn needs(macro_name: &str, key: &Ident) -> TokenStream {
    let word = key.to_string();
    let span = Span::mixed_site().located_at(key.span());
    let name = Ident::new(macro_name, span);
    located!(span => __tool_rt::#name! { #word })
}
