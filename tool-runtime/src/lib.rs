#![doc = include_str!("../README.md")]

// The macro's output names this crate.
extern crate self as tool_runtime;

mod approve;
mod args;
mod artifact;
mod aside;
mod batch;
mod budget;
mod call;
mod callable;
mod cancel;
mod contain;
mod content;
mod context;
mod conversation;
mod cut;
mod dialect;
mod error;
mod excerpt;
pub mod fence;
mod fields;
mod find;
mod gate;
mod guard;
mod header;
mod hook;
mod index;
mod join;
mod json;
mod link;
mod media;
mod notice;
mod observe;
mod outcome;
mod output;
mod part;
mod policy;
mod present;
mod reader;
mod redact;
mod registry;
mod render;
mod request;
mod resolve;
mod run;
mod sanitise;
mod schema;
mod seat;
#[cfg(feature = "regex")]
mod secrets;
mod session;
mod shape;
mod sink;
mod spec;
mod stages;
mod store;
mod stream;
mod thread;
mod tokens;
mod tool;
mod trace;
mod truncate;
mod value;
mod view;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

// Not for people. They stand here so that what rustc says of a tool's mistakes names nothing deeper.
#[doc(hidden)]
pub use {
    fields::{Edit, Param, schema_of},
    link::{Need, bind},
    serde_json,
    shape::{Retried, done, later, retried, to_model_output},
};

#[cfg(feature = "garde")]
pub use garde;

pub use approve::{Approval, ApprovalRequest, Approver};
pub use artifact::{
    Artifact, ArtifactEntry, ArtifactMeta, ArtifactRef, ArtifactStore, ArtifactWriter, StoreError, StoreReason,
};
pub use callable::{IntoTool, RegisteredTool, ToolList};
pub use cancel::CancellationToken;
pub use context::{CallContext, Progress};
pub use dialect::{Dialect, Lint, LintLevel, Strict};
pub use error::{BuildError, Problem, ProblemKind, ToolError};
pub use fence::wrap_if_external;
pub use fields::{Borrowed, Bound, ParamSchema, ParamValue, ToolParam};
pub use guard::{LoopGuard, LoopVerdict};
pub use hook::{After, AfterCall, Before, BeforeCall, Hook};
pub use link::{IntoTools, OneToolBlockUnlessNamedByInto, ToolState, tool};
pub use notice::Notice;
/// The crate of the backends that an [`ObjectStore`] can be given.
#[cfg(feature = "object-store")]
pub use object_store;
pub use outcome::{LeftOut, Outcome, Receipt, Status, ViewSource};
pub use output::{ModelOutput, ToolResult, resolve_model_output};
pub use part::{MediaKind, Part, PartError, Remote, ResourceLink};
pub use policy::{ArtifactTools, Coercion, FenceStyle, Keep, Scope, Snap, TruncationStrategy, Trust};
pub use redact::Redactor;
pub use registry::{Registry, RegistryBuilder};
pub use request::{Arguments, ToolCall};
/// The schema crate, for `#[derive(JsonSchema)]` with `#[schemars(crate = "tool_runtime::schemars")]`.
pub use schemars;
#[cfg(feature = "regex")]
pub use secrets::Secrets;
pub use session::Session;
pub use shape::ToolFailure;
pub use sink::OutputSink;
pub use spec::{Hints, LoopKey, ToolSpec};
#[cfg(feature = "object-store")]
pub use store::ObjectStore;
pub use store::{LocalStore, MemoryStore};
pub use stream::Streamed;
pub use tool::{DynTool, NoArgs, Tool, ToolArgs};
pub use truncate::{TruncateOptions, TruncatedResult, truncate_result};
pub use value::{Output, ToolOutput, UnserialisableError};
pub use view::{IntoView, View};
