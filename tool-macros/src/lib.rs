//! The `#[tool]` attribute of `tool-runtime`, which re-exports it and documents it.

mod attr;
mod block;
mod checks;
mod docs;
mod errors;
mod expand;
mod fallback;
mod field;
mod func;
mod home;
mod keys;
mod near;
mod passing;
mod slot;
mod state;
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

fn expanded(args: proc_macro2::TokenStream, item: &proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    let mut errors = Errors::default();
    if block::is_block(item) {
        let attr = attr::parse_block(args, &mut errors);
        let Some(block) = block::parse(&attr, item, &mut errors) else {
            return fallback::expand(item, &errors);
        };
        return if errors.is_empty() { expand::expand_block(&attr, &block) } else { fallback::expand(&block, &errors) };
    }
    let attr = attr::parse(args, &mut errors);
    let Some(func) = func::parse(item, &mut errors) else {
        return fallback::expand(item, &errors);
    };
    valid::check(&attr, &func, &mut errors);
    valid::check_free(&func, &mut errors);
    if errors.is_empty() { expand::expand(&attr, &func) } else { fallback::expand(&func, &errors) }
}
