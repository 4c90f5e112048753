//! The function that the runtime calls: it decodes the arguments and starts the user's function.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Ident, ext::IdentExt, spanned::Spanned};

use crate::{
    attr::Attr,
    checks,
    func::{Func, Input, Param},
    home::Home,
    located::located,
    passing::Passing,
};

/// The name of the local that holds argument `index`.
fn local(index: usize) -> Ident {
    format_ident!("__tool_{index}", span = Span::mixed_site())
}

/// The name of the local that holds state `index`.
fn state_local(index: usize) -> Ident {
    format_ident!("__tool_state_{index}", span = Span::mixed_site())
}

// Input:
//     #[tool(to_model_output = headline)]
//     async fn get_weather(city: &str, days: u8, #[inject] maps: &Maps) -> Result<Weather, E> { .. }
// Output:
//     fn __tool_start<'__tool>(slots: &mut Slots<'_>, given: Given<'__tool>) -> MaybeStarted<'__tool> {
//         use shapes::*;
//         let __tool_probe = Probe::<Result<Weather, E>>::new();
//         let __tool_shape = (&&&&__tool_probe).__tool_shape();
//         let __tool_able = (&&&&ValueProbe::of(__tool_shape, &__tool_probe)).__tool_able();
//         let (__tool_0, __tool_1) = Slots::take(
//             slots,
//             const { &Signature { names: &[&["city"], &["days"]], params: (Param::<..>::new(), Param::<u8>::new()) } },
//             key_of(&get_weather),
//             returns(__tool_shape, &__tool_probe, __tool_able),
//         )?;
//         let __tool_state_0 = Given::state::<Maps>(given)?;
//         later(
//             __tool_shape,
//             __tool_able,
//             async move { get_weather(borrow::<str>(&__tool_0), __tool_1, __tool_state_0).await },
//             &Ending { hook: Some(|value| to_model_output(value, headline)), able: PhantomData },
//         )
//     }
pub(crate) fn start(attr: &Attr, func: &Func, home: &Home) -> TokenStream {
    let decoded = decoded(attr, func, home);
    let lent = lent(func, home);
    let shape = checks::shape(attr, func);
    let slots = checks::slots();
    let call = call(func, home);
    let span = checks::output_span(func);
    let ending = checks::ending(span, attr.to_model_output.get());
    let finish = if func.sig.asyncness.is_some() { "later" } else { "done" };
    let finish = Ident::new(finish, Span::mixed_site().located_at(span));
    let finish = located!(span => __tool_rt::#finish(
        __tool_shape,
        __tool_able,
        #call,
        #ending,
    ));
    let allow = func.allow_deprecated();
    let given = if lent.is_empty() { quote!(_) } else { located!(Span::mixed_site() => __tool_given) };
    quote! {
        #allow
        fn __tool_start<'__tool>(
            #slots: &mut __tool_rt::Slots<'_>,
            #given: __tool_rt::Given<'__tool>,
        ) -> __tool_rt::MaybeStarted<'__tool> {
            use __tool_rt::shapes::*;
            #shape
            #decoded
            #lent
            #finish
        }
    }
}

/// The arguments, in a pattern like the type of `Params::Values`.
fn decoded(attr: &Attr, func: &Func, home: &Home) -> TokenStream {
    let slots = checks::slots();
    let locals = checks::list(&(0..func.params.len()).map(local).collect::<Vec<_>>());
    let (signature, function) = (signature(func, home), home.function(&func.sig.ident));
    let without_schema = attr.output_schema.key().map(|_| quote!(.without_schema()));
    let returns = located! { Span::mixed_site() =>
        __tool_rt::returns(__tool_shape, &__tool_probe, __tool_able) #without_schema
    };
    quote! {
        let #locals = __tool_rt::Slots::take(#slots, #signature, __tool_rt::key_of(&#function), #returns)?;
    }
}

/// All parameters. In one constant inside the function: one outside for each parameter takes the compiler longer.
fn signature(func: &Func, home: &Home) -> TokenStream {
    let names = func.params.iter().map(|param| {
        let own = param.ident.unraw().to_string();
        let own = param.field.rename.get().map_or_else(|| quote!(#own), ToTokens::to_token_stream);
        let aliases = &param.field.aliases;
        quote!(&[#own #(, #aliases)*])
    });
    let params: Vec<TokenStream> = func.params.iter().map(|param| home.outside(checks::param(param))).collect();
    let params = checks::list(&params);
    quote!(const { &__tool_rt::Signature { names: &[#(#names),*], params: #params } })
}

/// The value that a method is called on, and shared state.
fn lent(func: &Func, home: &Home) -> TokenStream {
    let this = match (home, func.sig.receiver()) {
        (Home::Block(owner), Some(receiver)) => {
            let this = owner.alias(receiver.self_token.span);
            Some(located! { Span::mixed_site() =>
                let __tool_this = __tool_rt::Given::this::<#this>(__tool_given)?;
            })
        }
        _ => None,
    };
    let states = func.states.iter().enumerate().map(|(index, state)| checks::lend(&state_local(index), state));
    quote!(#this #(#states)*)
}

/// The call of the user's function. A future that borrows its arguments has to own them too.
///
/// What is wrong with a future is wrong with the function, what is wrong with a value is wrong with its type.
fn call(func: &Func, home: &Home) -> TokenStream {
    let is_async = func.sig.asyncness.is_some();
    let span = if is_async { func.sig.ident.span() } else { checks::output_span(func) };
    let mut ident = func.sig.ident.clone();
    ident.set_span(Span::mixed_site().located_at(span));
    let function = home.function(&ident);
    let this = func.sig.receiver().map(|_| located!(span => __tool_this,));
    let args = func.inputs.iter().map(|input| match *input {
        Input::Param(index) => argument(index, &func.params[index]),
        Input::State(index) => {
            let local = state_local(index);
            quote!(#local)
        }
    });
    let call = located!(span => #function(#this #(#args),*));
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
