//! What the output of `#[tool]` and `tools!` refers to. Not for people: it changes with any release, and the two
//! crates are pinned to each other.

pub use std::{sync::Arc, vec::Vec};

pub use inventory::submit;
pub use serde_json::json;

pub use crate::{
    __tool_needs_tokio as needs_tokio,
    context::CallContext,
    fields::{
        Borrowed, DefaultProbe, Describe, Edit, Param, Slots, borrow, borrow_option, decode, decode_with, missing,
        required, schema_of,
    },
    link::{Given, Linked, MacroTool, Mode, Need, Place, Start, UnnamedToolBlock, bind, find, key_of},
    policy::{Keep, TruncationStrategy},
    shape::{Hook, Probe, ValueProbe, done, later, shapes, to_model_output},
    tool::{RegisteredTool, Started},
    value::Reader,
};

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
