//! Prints a tool. Nothing can go wrong here any more.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

use crate::{
    attr::{Attr, Limit},
    checks,
    docs::Docs,
    func::Func,
    wrap,
};

// Input:
//     /// Adds.
//     #[tool(read_only)]
//     fn add(a: i64, b: i64) -> i64 { a + b }
// Output:
//     /// Adds.
//     fn add(a: i64, b: i64) -> i64 { a + b }
//     const _: () = {
//         use ::tool_runtime::__private as __tool_rt;
//         const __TOOL_0: Param<i64> = Param::new("");
//         const __TOOL_1: Param<i64> = Param::new("");
//         fn __tool_start(..) -> .. { .. }
//         static __TOOL: MacroTool = MacroTool::new(
//             "add", Place { .. }, || key_of(&add), Mode::Sync, &[&["a"], &["b"]], &[&__TOOL_0, &__TOOL_1], __tool_start,
//         ).description("Adds.").read_only();
//         inventory::submit! { Linked(&__TOOL) }
//     };
pub(crate) fn expand(attr: &Attr, func: &Func) -> TokenStream {
    let rt = attr.rt.get().map_or_else(|| quote!(::tool_runtime), ToTokens::to_token_stream);
    let params = func.params.iter().enumerate().map(|(index, param)| checks::param(&wrap::constant(index), param));
    let start = wrap::start(attr, func);
    let table = table(attr, func);
    let handle = attr.handle.get().map(|_| convert(attr));
    let handle_type = handle_type(attr, func);
    quote! {
        #func
        #handle_type
        const _: () = {
            use #rt::__private as __tool_rt;
            #(#params)*
            #start
            #table
            __tool_rt::submit! { __tool_rt::Linked(&__TOOL) }
            #handle
        };
    }
}

fn table(attr: &Attr, func: &Func) -> TokenStream {
    let ident = &func.sig.ident;
    let function = ident.unraw().to_string();
    let name = attr.name.get().map_or_else(|| quote!(#function), ToTokens::to_token_stream);
    let mode = if func.sig.asyncness.is_some() { quote!(Async) } else { quote!(Sync) };
    let names = func.params.iter().map(|param| {
        let own = param.ident.unraw().to_string();
        let own = param.field.rename.get().map_or_else(|| quote!(#own), ToTokens::to_token_stream);
        let aliases = &param.field.aliases;
        quote!(&[#own #(, #aliases)*])
    });
    let constants = (0..func.params.len()).map(wrap::constant);
    let keys = keys(attr, func);
    let allow = func.allow_deprecated();
    quote! {
        #allow
        static __TOOL: __tool_rt::MacroTool = __tool_rt::MacroTool::new(
            #name,
            __tool_rt::Place { module: ::core::module_path!(), function: #function, line: ::core::line!() },
            || __tool_rt::key_of(&#ident),
            __tool_rt::Mode::#mode,
            &[#(#names),*],
            &[#(&#constants),*],
            __tool_start,
        ) #keys;
    }
}

/// A method call for each key that was given.
fn keys(attr: &Attr, func: &Func) -> TokenStream {
    let description = match (attr.description.get(), &func.docs) {
        (Some(description), _) => Some(quote!(.description(#description))),
        (None, Docs::Text(text)) if text.is_empty() => None,
        (None, Docs::Text(text)) => Some(quote!(.description(#text))),
        (None, Docs::Expr(docs)) => Some(quote!(.docs(#docs))),
    };
    let title = attr.title.get().map(|title| quote!(.title(#title)));
    let limit = attr.max_result_size.get().map(|limit| match limit {
        Limit::None => quote!(.unlimited()),
        Limit::Chars(chars) => quote!(.max_result_size(#chars)),
    });
    let truncation = attr.truncation.get().map(|choice| {
        let variant = &choice.0;
        quote!(.truncation(__tool_rt::TruncationStrategy::#variant))
    });
    let keep = attr.keep.get().map(|choice| {
        let variant = &choice.0;
        quote!(.keep(__tool_rt::Keep::#variant))
    });
    let flags = [&attr.external, &attr.read_only, &attr.destructive, &attr.idempotent, &attr.open_world];
    let flags = flags.into_iter().filter_map(|flag| flag.key()).map(|key| {
        let method = format_ident!("{key}");
        quote!(.#method())
    });
    quote!(#description #title #limit #truncation #keep #(#flags)*)
}

/// `struct Name;`, which stands beside the function and is as visible.
fn handle_type(attr: &Attr, func: &Func) -> Option<TokenStream> {
    let (handle, vis) = (attr.handle.get()?, &func.vis);
    let docs = format!("The tool `{}` as a value, for a registry's builder.", func.sig.ident.unraw());
    let span = Span::call_site().located_at(handle.span());
    Some(quote_spanned! {span=>
        #[doc = #docs]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        #vis struct #handle;
    })
}

fn convert(attr: &Attr) -> TokenStream {
    let handle = &attr.handle;
    quote! {
        impl ::core::convert::From<#handle> for __tool_rt::RegisteredTool {
            fn from(_: #handle) -> Self {
                __tool_rt::MacroTool::register(&__TOOL)
            }
        }
    }
}
