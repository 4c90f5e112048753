//! skeleton
#![allow(dead_code, unreachable_pub)]

mod args;
mod artifact;
mod context;
mod cut;
mod dialect;
mod error;
pub mod fence;
mod fields;
mod header;
mod json;
mod link;
mod outcome;
mod output;
mod policy;
mod request;
mod sanitise;
mod schema;
mod shape;
mod spec;
mod store;
mod tool;
mod truncate;
mod value;
mod view;

pub use artifact::{
    Artifact, ArtifactEntry, ArtifactMeta, ArtifactRef, ArtifactStore, ArtifactWriter, StoreError, StoreReason,
};
pub use context::CallContext;
pub use error::{BuildError, Problem, ProblemKind, ToolError};
pub use fence::wrap_if_external;
pub use outcome::{Outcome, Receipt, Status, ViewSource};
pub use output::{ModelOutput, Part, ToolResult, resolve_model_output};
pub use policy::{Coercion, FenceStyle, Keep, Scope, TruncationStrategy, Trust};
pub use request::{Arguments, ToolCall};
pub use schemars;
pub use spec::{Hints, ToolSpec};
pub use tool::RegisteredTool;
pub use value::{Output, ToolOutput, UnserialisableError};
pub use view::{IntoView, View};
