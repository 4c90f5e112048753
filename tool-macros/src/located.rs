//! Tokens that stand where the user's stand. rustc joins the spans of an expression's tokens, and one from elsewhere moves
//! its errors to `#[tool]`.

/// `located!(span => tokens)`: each literal token stands at `span`, with a name that can't meet a local of the user's.
/// What is interpolated stays where it is.
macro_rules! located {
    ($span:expr => $($tokens:tt)*) => {
        ::quote::quote_spanned!(::proc_macro2::Span::mixed_site().located_at($span)=> $($tokens)*)
    };
}

pub(crate) use located;
