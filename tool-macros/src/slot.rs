//! A key that may be given once.

use quote::ToTokens;
use syn::Ident;

use crate::errors::Errors;

/// The value of a key, with the key to blame.
pub(crate) struct Slot<T>(Option<(Ident, T)>);

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Slot<T> {
    pub(crate) fn set(&mut self, key: &Ident, value: T, errors: &mut Errors) {
        if self.0.is_some() {
            errors.push(key, format!("`{key}` is given twice, only one of them could count; remove one"));
        } else {
            self.0 = Some((key.clone(), value));
        }
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_ref().map(|(_, value)| value)
    }

    /// The key as the user wrote it.
    pub(crate) fn key(&self) -> Option<&Ident> {
        self.0.as_ref().map(|(key, _)| key)
    }
}

impl<T: ToTokens> ToTokens for Slot<T> {
    fn to_tokens(&self, tokens: &mut proc_macro2::TokenStream) {
        self.get().to_tokens(tokens);
    }
}
