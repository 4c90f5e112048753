//! What the output of `#[tool]` and `tools!` refers to. Not for people: it changes with any release, and the two
//! crates are pinned to each other.

pub use inventory::submit;
pub use serde_json::json;

pub use crate::{
    context::CallContext,
    fields::{
        Borrowed, DefaultProbe, Describe, Edit, Param, Slots, borrow, borrow_option, decode, decode_with, missing,
        required, schema_of,
    },
    link::{Linked, MacroTool, Mode, Place, Start, find, key_of},
    policy::{Keep, TruncationStrategy},
    shape::{Hook, Probe, done, later, shapes, to_model_output},
    tool::{RegisteredTool, Started},
    value::Reader,
};
