//! Tools that are methods of one value.

use std::sync::Arc;

use super::{MacroTool, ToolState, given::This};
use crate::callable::RegisteredTool;

/// Gives the tools of a `#[tool] impl` block, bound to a value: `builder.tools(db.into_tools())`.
///
/// ```
/// use std::sync::Arc;
/// use tool_runtime::{IntoTools, Registry, ToolCall, tool};
///
/// struct Notes(Vec<String>);
///
/// #[tool]
/// impl Notes {
///     /// Reads one note.
///     #[tool(read_only)]
///     fn read_note(&self, index: usize) -> Option<String> {
///         self.0.get(index).cloned()
///     }
/// }
///
/// # fn main() -> Result<(), tool_runtime::BuildError> {
/// let notes = Arc::new(Notes(vec!["Buy milk.".to_owned()]));
/// let registry = Registry::builder().tools(Arc::clone(&notes).into_tools()).build()?;
/// let outcome = registry.call_blocking(ToolCall::new("1", "read_note", r#"{"index":0}"#));
/// assert_eq!(outcome.model_text(), r#""Buy milk.""#);
/// # Ok(())
/// # }
/// ```
pub trait IntoTools {
    /// The tools, in the order in which the block has them.
    fn into_tools(self) -> Vec<RegisteredTool>;
}

/// A type with a `#[tool] impl` block that has no `into = name`. There can be one for each type; of a second one rustc
/// says that it conflicts with the name of this trait, so the name says what to do.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no `into_tools`, none of its `impl` blocks is `#[tool]` without `into = name`",
    label = "put `#[tool]` on the `impl` block; the tools of one with `into = name` come from `.name()`"
)]
pub trait OneToolBlockUnlessNamedByInto {
    /// Its tools. That the value can be shared is a bound of [`bind`] and not of this trait, for which rustc would say what
    /// the value lacks in its own words.
    #[doc(hidden)]
    fn __tool_bind(this: Arc<Self>) -> Vec<RegisteredTool>;
}

impl<T: OneToolBlockUnlessNamedByInto> IntoTools for T {
    fn into_tools(self) -> Vec<RegisteredTool> {
        Arc::new(self).into_tools()
    }
}

impl<T: OneToolBlockUnlessNamedByInto> IntoTools for Arc<T> {
    fn into_tools(self) -> Vec<RegisteredTool> {
        T::__tool_bind(self)
    }
}

/// The tables of a block's tools. rustc prints the line of the function below where a value can't be shared.
type Tables = Vec<&'static MacroTool>;

/// Makes tools of the functions of a block.
pub fn bind<T: ToolState>(this: Arc<T>, tables: Tables) -> Vec<RegisteredTool> {
    let this: This = this;
    tables.into_iter().map(|table| table.bind(Arc::clone(&this))).collect()
}
