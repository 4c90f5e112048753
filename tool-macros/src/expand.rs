//! Prints a tool. Nothing can go wrong here any more.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Ident, LitStr, Path, ext::IdentExt, spanned::Spanned};

use crate::{
    attr::{Attr, BlockAttr},
    block::{Block, BlockTool},
    checks,
    docs::{self, Docs},
    form::{Limit, LoopKey, Timeout},
    func::{Func, Param},
    home::{self, Home, Owner},
    located::located,
    slot::Slot,
    wrap,
};

// Input:
//     /// Adds.
//     #[tool(read_only)]
//     fn add(a: i64, b: i64) -> i64 { a + b }
// Output:
//     /// Adds.
//     fn add(a: i64, b: i64) -> i64 { a + b }
//     // All of what follows stands inside `put_tool_on_the_impl_block_too!`.
//     const _: () = {
//         use ::tool_runtime::__private as __tool_rt;
//         fn __tool_start(..) -> .. { .. }
//         inventory::submit! {
//             MacroTool::new(
//                 concat!("add\n", module_path!(), "::add (line ", line!(), ")\n", "Adds."), Mode::Sync, __tool_start,
//             ).settings(&Settings::new().read_only())
//         }
//     };
pub(crate) fn expand(attr: &Attr, func: &Func) -> TokenStream {
    let rt = rt(&attr.rt);
    let start = started(attr, func, &Home::Free);
    let table = table(attr, func, &Home::Free, None);
    // Without a handle nobody else needs the table; one constant less for the compiler.
    let linked = match attr.handle.get() {
        None => quote!(__tool_rt::submit! { #table }),
        Some(handle) => handle_of(handle, &table),
    };
    let handle_type = handle_type(attr, func);
    quote! {
        #func
        #handle_type
        #rt::put_tool_on_the_impl_block_too! {
            const _: () = {
                use #rt::__private as __tool_rt;
                #start
                #linked
            };
        }
    }
}

// Input:
//     #[tool(prefix = "db")]
//     impl Db {
//         /// Runs a query.
//         #[tool]
//         async fn query(&self, sql: String) -> Rows { .. }
//     }
// Output:
//     impl Db {
//         /// Runs a query.
//         async fn query(&self, sql: String) -> Rows { .. }
//     }
//     const _: () = {
//         use ::tool_runtime::__private as __tool_rt;
//         type __ToolSelf = Db;
//         struct __Tool<T, const N: usize>(PhantomData<T>);
//         impl __Tool<Db, 0> {
//             fn __tool_start(..) -> .. { .. }
//             const __TOOL: &'static MacroTool = &MacroTool::new(..).settings(&Settings::new().method("into_tools"));
//         }
//         inventory::submit! { *<__Tool<Db, 0>>::__TOOL }
//         impl OneToolBlockUnlessNamedByInto for Db {
//             fn __tool_bind(this: Arc<Self>) -> Vec<RegisteredTool> {
//                 let mut tables = Vec::new();
//                 tables.push(<__Tool<Db, 0>>::__TOOL);
//                 bind::<Db>(this, tables)
//             }
//         }
//     };
pub(crate) fn expand_block(attr: &BlockAttr, block: &Block) -> TokenStream {
    let Home::Block(owner) = &block.home else { return quote!(#block) };
    let rt = rt(&attr.rt);
    let alias = home::alias_item(owner);
    let into = attr.into.get().map_or_else(|| "into_tools".to_owned(), ToString::to_string);
    let tools = block.tools.iter().enumerate().map(|(index, tool)| block_tool(tool, index, &block.home, owner, &into));
    let tables = tables(attr, block, owner, &block.tools);
    quote! {
        #block
        const _: () = {
            use #rt::__private as __tool_rt;
            #alias
            struct __Tool<__T, const __N: usize>(::core::marker::PhantomData<__T>);
            #(#tools)*
            #tables
        };
    }
}

fn rt(path: &Slot<Path>) -> TokenStream {
    path.get().map_or_else(|| quote!(::tool_runtime), ToTokens::to_token_stream)
}

/// What belongs to one function of a block, in an `impl` of its own, which carries the block's generics.
fn block_tool(tool: &BlockTool, index: usize, home: &Home, owner: &Owner, into: &str) -> TokenStream {
    let BlockTool { attr, func, cfgs } = tool;
    let (generics, _, bounds) = owner.generics.split_for_impl();
    let ty = &owner.ty;
    let method = func.sig.receiver().map(|_| quote!(.method(#into)));
    let start = started(attr, func, home);
    let table = table(attr, func, home, method.as_ref());
    // Of a generic block there is a tool for each type that it is used with, and the linker knows none of them.
    let linked = owner
        .generics
        .params
        .is_empty()
        .then(|| quote!(#(#cfgs)* __tool_rt::submit! { *<__Tool<#ty, #index>>::__TOOL }));
    quote! {
        #(#cfgs)*
        impl #generics __Tool<#ty, #index> #bounds {
            #start
            const __TOOL: &'static __tool_rt::MacroTool = &#table;
        }
        #linked
    }
}

/// What stands beside a block in which something is wrong, so that `into_tools` is no second error.
pub(crate) fn expand_wrong_block(attr: &BlockAttr, block: &Block) -> TokenStream {
    let Home::Block(owner) = &block.home else { return TokenStream::new() };
    let (rt, tables) = (rt(&attr.rt), tables(attr, block, owner, &[]));
    quote! {
        const _: () = {
            use #rt::__private as __tool_rt;
            #tables
        };
    }
}

/// How the block's value finds the tools of the block.
fn tables(attr: &BlockAttr, block: &Block, owner: &Owner, tools: &[BlockTool]) -> TokenStream {
    let (generics, _, bounds) = owner.generics.split_for_impl();
    let ty = &owner.ty;
    let pushes = tools.iter().enumerate().map(|(index, tool)| {
        let cfgs = &tool.cfgs;
        located!(Span::mixed_site() =>
            #(#cfgs)*
            __tool_rt::Vec::push(&mut __tool_tables, <__Tool<#ty, #index>>::__TOOL);
        )
    });
    let list = located! { Span::mixed_site() =>
        let mut __tool_tables = __tool_rt::Vec::new();
        #(#pushes)*
    };
    let bind = located!(ty.span() => __tool_rt::bind::<#ty>);
    let Some(name) = attr.into.get() else {
        return located!(ty.span() =>
            impl #generics __tool_rt::OneToolBlockUnlessNamedByInto for #ty #bounds {
                fn __tool_bind(__tool_this: __tool_rt::Arc<Self>) -> __tool_rt::Vec<__tool_rt::RegisteredTool> {
                    #list
                    #bind(__tool_this, __tool_tables)
                }
            }
        );
    };
    let (vis, docs) = (block.vis(), format!("The tools of a block of `{}`, for a registry's builder.", owner.name));
    located! { Span::mixed_site() =>
        impl #generics #ty #bounds {
            #[doc = #docs]
            #[must_use]
            #vis fn #name(self: __tool_rt::Arc<Self>) -> __tool_rt::Vec<__tool_rt::RegisteredTool> {
                #list
                #bind(self, __tool_tables)
            }
        }
    }
}

/// The function that starts the tool, and what it takes of the runtime.
fn started(attr: &Attr, func: &Func, home: &Home) -> TokenStream {
    let start = wrap::start(attr, func, home);
    let tokio = [attr.timeout.key(), attr.blocking.key()].into_iter().flatten();
    let tokio = tokio.map(|key| checks::needs("needs_tokio", key));
    let tokens = attr.max_result_tokens.key().map(|key| checks::needs("needs_tokens", key));
    quote!(#(#tokio)* #tokens #start)
}

/// What the registry knows of the tool.
fn table(attr: &Attr, func: &Func, home: &Home, method: Option<&TokenStream>) -> TokenStream {
    let ident = &func.sig.ident;
    let name = format!("{}\n", func.tool_name(attr).0);
    let mode = if func.sig.asyncness.is_some() { quote!(Async) } else { quote!(Sync) };
    let path = format!("::{} (line ", home.path(&ident.unraw().to_string()));
    let start = home.start();
    // Where the function stands, and not the attribute of its block.
    let line = quote_spanned!(ident.span()=> ::core::line!());
    let (docs, indented) = match &func.docs {
        _ if attr.description.get().is_some() => (quote!(""), None),
        Docs::Text(text) => (quote!(#text), None),
        Docs::Pieces(pieces) => (docs::joined(pieces), Some(quote!(.indented()))),
    };
    let keys = keys(attr, func);
    let needs = func.states.iter().map(checks::need);
    let needs = (!func.states.is_empty()).then(|| quote!(.needs(&[#(#needs),*])));
    let settings = quote!(#keys #needs #method);
    let settings = (!settings.is_empty()).then(|| quote!(.settings(&__tool_rt::Settings::new() #settings)));
    quote! {
        __tool_rt::MacroTool::new(
            ::core::concat!(#name, ::core::module_path!(), #path, #line, ")\n", #docs),
            __tool_rt::Mode::#mode,
            #start,
        ) #indented #settings
    }
}

/// A method call for each key that was given.
fn keys(attr: &Attr, func: &Func) -> TokenStream {
    let description = attr.description.get().map(|description| quote!(.description(#description)));
    let title = attr.title.get().map(|title| quote!(.title(#title)));
    let limit = attr.max_result_size.get().map(|limit| match limit {
        Limit::None => quote!(.unlimited()),
        Limit::Chars(chars) => quote!(.max_result_size(#chars)),
    });
    let tokens = attr.max_result_tokens.get().map(|tokens| quote!(.max_result_tokens(#tokens)));
    let media = attr.max_media_bytes.get().map(|bytes| quote!(.max_media_bytes(#bytes)));
    let truncation = attr.truncation.get().map(|choice| {
        let variant = &choice.0;
        quote!(.truncation(__tool_rt::TruncationStrategy::#variant))
    });
    let keep = attr.keep.get().map(|choice| {
        let variant = &choice.0;
        quote!(.keep(__tool_rt::Keep::#variant))
    });
    let flags = [
        &attr.external,
        &attr.read_only,
        &attr.destructive,
        &attr.idempotent,
        &attr.open_world,
        &attr.blocking,
        &attr.approval,
        &attr.strict,
    ];
    let flags = flags.into_iter().filter_map(|flag| flag.key()).map(|key| {
        let method = format_ident!("{key}");
        quote!(.#method())
    });
    let timeout = attr.timeout.get().map(|Timeout(millis)| quote!(.timeout(#millis)));
    let loop_key = attr.loop_key.get().map(|key| loop_key(key, func));
    let concurrent = attr.max_concurrent.get().map(|calls| quote!(.max_concurrent(#calls)));
    let retries = attr.retries.get().map(|retries| quote!(.retries(#retries)));
    let tags = attr.tags.get().map(|tags| quote!(.tags(&[#(#tags),*])));
    quote!(
        #title #description #limit #tokens #media #truncation #keep #timeout #concurrent #retries #loop_key #tags #(#flags)*
    )
}

fn loop_key(key: &LoopKey, func: &Func) -> TokenStream {
    // The guard knows the names that the model writes.
    let names = |names: &[LitStr]| -> Vec<String> {
        let called = |name: &LitStr| func.params.iter().find(|param| param.is_called(&name.value())).map(Param::name);
        names.iter().filter_map(called).collect()
    };
    match key {
        LoopKey::Only(only) => {
            let only = names(only);
            quote!(.loop_key(__tool_rt::Compared::Only(&[#(#only),*])))
        }
        LoopKey::Except(except) => {
            let except = names(except);
            quote!(.loop_key(__tool_rt::Compared::Except(&[#(#except),*])))
        }
        LoopKey::By(by) => located!(by.span() => .loop_key(__tool_rt::Compared::By(#by))),
    }
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

/// A tool that the linker and a handle know.
fn handle_of(handle: &Ident, table: &TokenStream) -> TokenStream {
    quote! {
        const __TOOL: &'static __tool_rt::MacroTool = &#table;
        __tool_rt::submit! { *__TOOL }
        impl ::core::convert::From<#handle> for __tool_rt::RegisteredTool {
            fn from(_: #handle) -> Self {
                __tool_rt::MacroTool::register(__TOOL)
            }
        }
    }
}
