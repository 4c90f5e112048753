//! The function that the runtime calls: it decodes the arguments and starts the user's function.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Ident, spanned::Spanned};

use crate::{
    attr::Attr,
    checks::{self, located},
    func::{Func, Param},
    passing::Passing,
};

/// The name of the local that holds argument `index`.
fn local(index: usize) -> Ident {
    format_ident!("__tool_{index}", span = Span::mixed_site())
}

/// The name of the constant that describes parameter `index`.
pub(crate) fn constant(index: usize) -> Ident {
    format_ident!("__TOOL_{index}", span = Span::mixed_site())
}

// Input:
//     #[tool(to_model_output = headline)]
//     async fn get_weather(city: &str, days: u8) -> Result<Weather, E> { .. }
// Output:
//     fn __tool_start<'__tool>(slots: &mut Slots<'_>, _: &'__tool CallContext) -> Option<Started<'__tool>> {
//         use shapes::*;
//         let __tool_0 = Param::take(&__TOOL_0, slots, 0);
//         let __tool_1 = Param::take(&__TOOL_1, slots, 1);
//         let (Some(__tool_0), Some(__tool_1), true) = (__tool_0, __tool_1, Slots::is_ready(slots)) else {
//             return None;
//         };
//         Some(later(
//             (&&&&Probe::<Result<Weather, E>>::new()).__tool_shape(),
//             async move { get_weather(borrow::<str>(&__tool_0), __tool_1).await },
//             Some(|value| to_model_output(value, headline)),
//         ))
//     }
pub(crate) fn start(attr: &Attr, func: &Func) -> TokenStream {
    let decoded = decoded(func);
    let shape = checks::shape(func);
    let call = call(func);
    let span = checks::output_span(func);
    let hook = checks::hook(span, attr.to_model_output.get());
    let finish = if func.sig.asyncness.is_some() {
        located!(span => __tool_rt::later(#shape, #call, #hook))
    } else {
        located!(span => __tool_rt::done(#shape, #call, #hook))
    };
    let allow = func.allow_deprecated();
    quote! {
        #allow
        fn __tool_start<'__tool>(
            __tool_slots: &mut __tool_rt::Slots<'_>,
            _: &'__tool __tool_rt::CallContext,
        ) -> ::core::option::Option<__tool_rt::Started<'__tool>> {
            use __tool_rt::shapes::*;
            #decoded
            ::core::option::Option::Some(#finish)
        }
    }
}

/// Every argument is decoded before any problem ends the call, so that all problems are known.
fn decoded(func: &Func) -> TokenStream {
    let indices = 0..func.params.len();
    let locals: Vec<Ident> = indices.clone().map(local).collect();
    let takes = indices.map(|index| {
        let (local, constant) = (local(index), constant(index));
        quote!(let #local = __tool_rt::Param::take(&#constant, __tool_slots, #index);)
    });
    quote! {
        #(#takes)*
        let (#(::core::option::Option::Some(#locals),)* true) = (#(#locals,)* __tool_rt::Slots::is_ready(__tool_slots)) else {
            return ::core::option::Option::None;
        };
    }
}

/// The call of the user's function. A future that borrows its arguments has to own them too.
///
/// What is wrong with a future is wrong with the function, what is wrong with a value is wrong with its type.
fn call(func: &Func) -> TokenStream {
    let is_async = func.sig.asyncness.is_some();
    let span = if is_async { func.sig.ident.span() } else { checks::output_span(func) };
    let mut ident = func.sig.ident.clone();
    ident.set_span(Span::mixed_site().located_at(span));
    let args = func.params.iter().enumerate().map(|(index, param)| argument(index, param));
    let call = located!(span => #ident(#(#args),*));
    let is_loan = |param: &Param| !matches!(param.passing, Passing::Value(_));
    if is_async && func.params.iter().any(is_loan) { located!(span => async move { #call.await }) } else { call }
}

fn argument(index: usize, param: &Param) -> TokenStream {
    let local = local(index);
    match &param.passing {
        Passing::Value(_) => quote!(#local),
        Passing::Loan(ty) => located!(param.ty.span() => __tool_rt::borrow::<#ty>(&#local)),
        Passing::OptionLoan(ty) => located!(param.ty.span() => __tool_rt::borrow_option::<#ty>(&#local)),
    }
}
