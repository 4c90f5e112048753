//! What the output of `#[tool]` and `tools!` refers to. Not for people: it changes with any release, and the two
//! crates are pinned to each other.

pub use std::{marker::PhantomData, option::Option::Some, sync::Arc, vec::Vec};

pub use inventory::submit;
pub use serde_json::json;
pub use tool_macros::in_place_of;

pub use crate::{
    __tool_needs_tokens as needs_tokens, __tool_needs_tokio as needs_tokio, __tool_with_garde as with_garde,
    callable::{RegisteredTool, Running, Started},
    context::CallContext,
    fields::{
        Borrowed, Check, DefaultProbe, Edit, MakeSchema, Param, Params, Returns, Signature, Slots, borrow,
        borrow_option, decode, decode_with, missing, required, schema_of,
    },
    link::{
        Compared, Given, MacroTool, Mode, Need, OneToolBlockUnlessNamedByInto, Settings, Start, bind, find, key_of,
    },
    policy::{Keep, TruncationStrategy},
    shape::{
        Able, Ending, Hook, MaybeStarted, Probe, ValueProbe, done, later, retried, returns, shapes, to_model_output,
    },
    value::Reader,
};

#[cfg(feature = "garde")]
pub use garde;

/// Prints what belongs to a free function. rustc prints the name of this macro where it stands in an `impl` block that is
/// not `#[tool]` itself: nothing else tells the two places apart, and there a module is one error, at the function.
#[doc(hidden)]
#[macro_export]
macro_rules! put_tool_on_the_impl_block_too {
    ($($item:tt)*) => {
        #[$crate::__private::in_place_of($($item)*)]
        mod __tool {}
    };
}

/// What a rule says, as text.
pub fn garde_rule<E: std::fmt::Display>(result: Result<(), E>) -> Result<(), String> {
    result.map_err(|error| error.to_string().trim().to_owned())
}

/// A rule that is held elsewhere.
pub fn kept<T>(_value: &T) -> Result<(), &'static str> {
    Ok(())
}

/// The check, where there is garde.
#[cfg(feature = "garde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __tool_with_garde {
    ($($check:tt)*) => { $($check)* };
}

/// Says why there is no check.
#[cfg(not(feature = "garde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __tool_with_garde {
    ($($check:tt)*) => {
        ::core::compile_error!("`#[garde(..)]` needs feature `garde` of `tool-runtime`; turn it on")
    };
}

/// Says why a key can't be used.
#[cfg(not(feature = "tokio"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __tool_needs_tokio {
    ($key:literal) => {
        ::core::compile_error!(::core::concat!(
            "`",
            $key,
            "` needs tokio's timer and threads; turn on feature `tokio` of `tool-runtime`"
        ));
    };
}

/// Nothing to say.
#[cfg(feature = "tokio")]
#[doc(hidden)]
#[macro_export]
macro_rules! __tool_needs_tokio {
    ($key:literal) => {};
}

/// Says why a key can't be used.
#[cfg(not(feature = "tokens"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __tool_needs_tokens {
    ($key:literal) => {
        ::core::compile_error!(::core::concat!(
            "`",
            $key,
            "` needs the vocabulary that counts tokens; turn on feature `tokens` of `tool-runtime`"
        ));
    };
}

/// Nothing to say.
#[cfg(feature = "tokens")]
#[doc(hidden)]
#[macro_export]
macro_rules! __tool_needs_tokens {
    ($key:literal) => {};
}
