//! The `#[tool]` attribute of `tool-runtime`, which re-exports it and documents it.

mod attr;
mod checks;
mod docs;
mod errors;
mod expand;
mod fallback;
mod field;
mod func;
mod keys;
mod near;
mod passing;
mod slot;
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
    let attr = attr::parse(args, &mut errors);
    let Some(func) = func::parse(item, &mut errors) else {
        return fallback::expand(item, &errors);
    };
    valid::check(&attr, &func, &mut errors);
    if errors.is_empty() { expand::expand(&attr, &func) } else { fallback::expand(&func, &errors) }
}
