#![doc = include_str!("../README.md")]
#![allow(dead_code, unreachable_pub)]

// The macro's output names this crate.
#[cfg(test)]
extern crate self as tool_runtime;

mod approve;
mod args;
mod artifact;
mod call;
mod cancel;
mod contain;
mod context;
mod cut;
mod dialect;
mod error;
pub mod fence;
mod fields;
mod find;
mod header;
mod json;
mod link;
mod outcome;
mod output;
mod policy;
mod present;
mod registry;
mod render;
mod request;
mod resolve;
mod run;
mod sanitise;
mod schema;
mod shape;
mod spec;
mod store;
mod thread;
mod tool;
mod truncate;
mod value;
mod view;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use approve::{Approval, ApprovalRequest, Approver};
pub use artifact::{
    Artifact, ArtifactEntry, ArtifactMeta, ArtifactRef, ArtifactStore, ArtifactWriter, StoreError, StoreReason,
};
pub use cancel::CancellationToken;
pub use context::{CallContext, Progress};
pub use dialect::Dialect;
pub use error::{BuildError, Problem, ProblemKind, ToolError};
pub use fence::wrap_if_external;
#[cfg(feature = "object-store")]
pub use object_store;
pub use outcome::{Outcome, Receipt, Status, ViewSource};
pub use output::{ModelOutput, Part, ToolResult, resolve_model_output};
pub use policy::{Coercion, FenceStyle, Keep, Scope, TruncationStrategy, Trust};
pub use registry::{Registry, RegistryBuilder};
pub use request::{Arguments, ToolCall};
pub use schemars;
pub use spec::{Hints, ToolSpec};
#[cfg(feature = "object-store")]
pub use store::ObjectStore;
pub use store::{LocalStore, MemoryStore};
pub use tool::RegisteredTool;
pub use tool::{DynTool, NoArgs, Tool, ToolArgs};
pub use tool_macros::tool;
pub use truncate::{TruncateOptions, TruncatedResult, truncate_result};
pub use value::{Output, ToolOutput, UnserialisableError};
pub use view::{IntoView, View};
