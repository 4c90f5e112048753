//! Takes secrets out of what a model reads and of what is stored.

use std::borrow::Cow;

/// Replaces what must not be shown. Any `Fn(&str) -> Cow<str>` is one; a closure goes to
/// [`RegistryBuilder::redact_with`](crate::RegistryBuilder::redact_with).
///
/// It runs after sanitising and before the cut, over everything the model will read (the result or its view, errors,
/// messages about arguments, notices), and over the full text where that is stored. JSON is redacted string by string,
/// keys included, so the result stays JSON. [`Outcome::output`](crate::Outcome::output) keeps the value as it is.
///
/// A redactor that panics has not redacted: the result is withheld.
///
/// ```
/// use std::borrow::Cow;
/// use tool_runtime::{Registry, ToolCall, tool, tools};
///
/// /// Shows the configuration.
/// #[tool]
/// fn config() -> String {
///     "user=ann token=sk-123".into()
/// }
///
/// fn hide(text: &str) -> Cow<'_, str> {
///     if text.contains("sk-123") { text.replace("sk-123", "[key]").into() } else { text.into() }
/// }
///
/// # fn main() -> Result<(), tool_runtime::BuildError> {
/// let registry = Registry::builder().tools(tools![config]).redact(hide).build()?;
/// let outcome = registry.call_blocking(ToolCall::new("1", "config", "{}"));
/// assert_eq!(outcome.model_text(), "user=ann token=[key]");
/// # Ok(())
/// # }
/// ```
pub trait Redactor: Send + Sync + 'static {
    /// The text without secrets; borrowed where there are none.
    fn redact<'t>(&self, text: &'t str) -> Cow<'t, str>;

    /// The same for a string that stands under a key in a JSON object: the key may say that it is a secret.
    fn redact_member<'t>(&self, _key: &str, value: &'t str) -> Cow<'t, str> {
        self.redact(value)
    }

    /// The longest secret that [`redact`](Self::redact) recognises, in bytes, with what it has to see round it; a
    /// stream is redacted in pieces that overlap by this. Longer ones are found as well where they are replaced as
    /// one. `None`: only the whole text will do, and then a stream of more than 256 KiB is neither shown nor stored.
    /// Default: 16 KiB.
    fn window(&self) -> Option<usize> {
        Some(16 * 1024)
    }
}

impl<F> Redactor for F
where
    F: for<'t> Fn(&'t str) -> Cow<'t, str> + Send + Sync + 'static,
{
    fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self(text)
    }
}
