//! The `#[tool]` attribute of `tool-runtime`, which re-exports it and documents it.

mod attr;
mod block;
mod checks;
mod docs;
mod errors;
mod expand;
mod fallback;
mod field;
mod form;
mod func;
mod garde;
mod home;
mod keys;
mod located;
mod near;
mod passing;
mod slot;
mod state;
mod synonyms;
mod valid;
mod wrap;

use proc_macro::TokenStream;

use crate::errors::Errors;

// Documented where it is re-exported: its examples need the runtime.
#[expect(missing_docs, reason = "the documentation stands in tool-runtime")]
#[proc_macro_attribute]
pub fn tool(args: TokenStream, item: TokenStream) -> TokenStream {
    expanded(args.into(), &item.into()).into()
}

/// Gives its arguments in place of an empty module. For `put_tool_on_the_impl_block_too!` of tool-runtime.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn in_place_of(inside: TokenStream, _module: TokenStream) -> TokenStream {
    inside
}

fn expanded(args: proc_macro2::TokenStream, item: &proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    let mut errors = Errors::default();
    if block::is_block(item) {
        let attr = attr::parse_block(args, &mut errors);
        let Some(block) = block::parse(&attr, item, &mut errors) else {
            return fallback::expand(item, &errors);
        };
        if errors.is_empty() {
            return expand::expand_block(&attr, &block);
        }
        let into_tools = expand::expand_wrong_block(&attr, &block);
        return fallback::expand(quote::quote!(#block #into_tools), &errors);
    }
    let attr = attr::parse(args, &mut errors);
    let Some(func) = func::parse(item, &mut errors) else {
        return fallback::expand(item, &errors);
    };
    valid::check(&attr, &func, &mut errors);
    valid::check_free(&func, &mut errors);
    if errors.is_empty() { expand::expand(&attr, &func) } else { fallback::expand(&func, &errors) }
}

#[cfg(test)]
mod tests {
    use std::{env, fs, path::Path};

    use quote::{ToTokens, quote};
    use syn::{
        Attribute, Expr, Item, Meta, Stmt,
        parse::{ParseStream, Parser},
        visit_mut::VisitMut,
    };

    use super::*;

    /// Expands the first item of a source text, as rustc would.
    fn expand(source: &str) -> String {
        let parse = |input: ParseStream<'_>| {
            let mut attrs = input.call(Attribute::parse_outer)?;
            let at = attrs.iter().position(|attr| attr.path().is_ident("tool")).expect("`#[tool]` on the item");
            let args = match attrs.remove(at).meta {
                Meta::List(list) => list.tokens,
                _ => proc_macro2::TokenStream::new(),
            };
            let rest: proc_macro2::TokenStream = input.parse()?;
            Ok(expanded(args, &quote!(#(#attrs)* #rest)))
        };
        let tokens = parse.parse_str(source).expect("Rust");
        let mut file: syn::File = syn::parse2(tokens).expect("a list of items");
        file.items = file.items.into_iter().flat_map(opened).collect();
        prettyplease::unparse(&file)
    }

    /// The items inside `put_tool_on_the_impl_block_too!`, which would stand there as they are, unformatted.
    fn opened(item: Item) -> Vec<Item> {
        let mut items = match item {
            Item::Macro(item) => syn::parse2::<syn::File>(item.mac.tokens).expect("a list of items").items,
            item => vec![item],
        };
        for item in &mut items {
            Submitted.visit_item_mut(item);
        }
        items
    }

    /// Prints `submit!` as the `static` that it makes, for the same reason.
    struct Submitted;

    impl VisitMut for Submitted {
        fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
            let mac = match stmt {
                Stmt::Macro(stmt) => &stmt.mac,
                Stmt::Item(Item::Macro(item)) => &item.mac,
                _ => return,
            };
            if mac.path.segments.last().is_some_and(|last| last.ident == "submit") {
                let table: Expr = mac.parse_body().expect("an expression");
                *stmt = syn::parse_quote!(static __SUBMITTED: __tool_rt::MacroTool = #table;);
            }
        }
    }

    /// `tests/golden/name.rs` beside `name.expanded.rs`; with `GOLDEN=overwrite`, what there is becomes what is wanted.
    #[test]
    fn expansions_are_as_they_were_read() {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
        let mut count = 0;
        for entry in fs::read_dir(&golden).expect("golden files") {
            let path = entry.expect("readable").path();
            let name = path.file_name().and_then(|name| name.to_str()).expect("UTF-8");
            let Some(stem) = name.strip_suffix(".rs").filter(|stem| !stem.contains('.')) else { continue };
            let expansion = expand(&fs::read_to_string(&path).expect("readable"));
            assert!(!expansion.contains(env!("CARGO_MANIFEST_DIR")), "{stem}: a path of this machine");
            // The user may have another version of either, or none.
            assert!(
                !expansion.contains("serde::") && !expansion.contains("schemars::"),
                "{stem}: a crate of the user's"
            );
            let wanted = golden.join(format!("{stem}.expanded.rs"));
            if env::var_os("GOLDEN").is_some_and(|mode| mode == "overwrite") {
                fs::write(&wanted, &expansion).expect("writable");
            }
            assert_eq!(fs::read_to_string(&wanted).unwrap_or_default(), expansion, "{stem}");
            count += 1;
        }
        assert_eq!(count, 6);
    }

    #[test]
    fn a_half_written_attribute_keeps_the_item() {
        let function = quote!(
            fn add(a: i64) -> i64 {
                a
            }
        );
        let block = quote!(
            impl Db {
                #[tool(nam)]
                fn query(&self, sql: &mut String) {}
                fn other() {}
            }
        );
        for args in ["", "n", "name", "name =", "to_model_output = ", "tags(", "max_result_size = ,", "loop_key(a", "="]
        {
            // An unfinished group is closed by whoever calls the macro.
            let args = if args.contains('(') { format!("{args})") } else { args.to_owned() };
            let tokens: proc_macro2::TokenStream = args.parse().expect("tokens");
            let printed = expanded(tokens.clone(), &function).to_string();
            assert!(printed.starts_with(&function.to_string()), "{args}: {printed}");
            assert_eq!(
                printed.contains("compile_error"),
                !args.is_empty() && args != "loop_key(a)",
                "{args}: {printed}"
            );
            let printed = expanded(tokens, &block).to_string();
            assert!(printed.contains("fn query") && printed.contains("fn other"), "{args}: {printed}");
            assert!(printed.contains("compile_error") && !printed.contains("# [tool"), "{args}: {printed}");
        }
        assert!(
            expanded(
                quote!(),
                &quote!(
                    fn f();
                )
            )
            .into_token_stream()
            .to_string()
            .starts_with("fn f () ;")
        );
    }
}
