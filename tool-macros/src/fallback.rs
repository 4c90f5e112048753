//! What is printed when something is wrong: the user's item all the same, so that the rest of their code still
//! compiles, and then the errors.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::errors::Errors;

pub(crate) fn expand(item: impl ToTokens, errors: &Errors) -> TokenStream {
    quote!(#item #errors)
}
