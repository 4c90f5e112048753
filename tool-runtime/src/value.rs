//! A tool's value with its type erased: looked at in full only when somebody asks.

use std::{any::Any, borrow::Cow, fmt, mem, ops::ControlFlow, sync::Arc};

use serde::Serialize;
use serde_json::Value;

use crate::{
    contain::{self, Panicked},
    excerpt::Excerpt,
    json::{self, Fault, Walk},
    part::Part,
    stream::Streamed,
    view::View,
};

/// What a type must be to be returned by a tool.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be the result of a tool, it can't be turned into JSON and shared",
    label = "derive `serde::Serialize` on it, or on the type inside it; it also has to be `Send + Sync + 'static`",
    note = "a function that returns a future is a tool if it is an `async fn`"
)]
pub trait ToolOutput: Serialize + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + Send + Sync + 'static> ToolOutput for T {}

/// A value behind a pointer, with the few things the runtime does to it.
trait Typed: Send + Sync {
    fn any(&self) -> &dyn Any;
    fn write(&self, walk: &mut Walk<'_>) -> Result<(), Fault>;
    fn view(&self) -> Option<View>;
    /// The same with another value, if that has this type.
    fn replaced(&self, value: &Value) -> Option<Arc<dyn Typed>>;
}

struct Hooked<T: 'static, H> {
    value: Held<T>,
    hook: Option<H>,
    read: Reader<T>,
}

/// A value that nobody notices going: its `Drop` may panic, or be a recursion too deep for the stack.
struct Held<T: 'static>(Option<T>);

impl<T> Held<T> {
    fn get(&self) -> &T {
        self.0.as_ref().expect("only `drop` takes the value out")
    }
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        if let Some(value) = (&mut self.0 as &mut dyn Any).downcast_mut::<Option<Value>>().and_then(Option::as_mut) {
            json::dismantle(value);
        }
        // The result was shown; what its `Drop` does changes nothing about that.
        if contain::call(|| drop(self.0.take())).is_err() {
            tracing::warn!("a result panicked when it was dropped");
        }
    }
}

/// Reads a value of this type back from JSON, for types that can.
pub type Reader<T> = Option<fn(&Value) -> Option<T>>;

impl<T: ToolOutput, H: Fn(&T) -> View + Clone + Send + Sync + 'static> Typed for Hooked<T, H> {
    fn any(&self) -> &dyn Any {
        self.value.get()
    }
    fn write(&self, walk: &mut Walk<'_>) -> Result<(), Fault> {
        json::write(self.value.get(), walk)
    }
    fn view(&self) -> Option<View> {
        self.hook.as_ref().map(|hook| hook(self.value.get()))
    }
    fn replaced(&self, value: &Value) -> Option<Arc<dyn Typed>> {
        let value = (self.read?)(value)?;
        Some(Arc::new(Self { value: Held(Some(value)), hook: self.hook.clone(), read: self.read }))
    }
}

#[derive(Clone)]
enum Repr {
    Value(Arc<dyn Typed>),
    Error(Arc<str>),
}

/// The full result of a call: typed, unfenced, uncut; for display, hooks and the next tool.
///
/// A call without a value (the tool failed or was not run) has the error's text and JSON `null`.
#[derive(Clone)]
pub struct Output(Repr);

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Value(_) => f.write_str("Output(..)"),
            Repr::Error(message) => f.debug_tuple("Output").field(message).finish(),
        }
    }
}

impl Output {
    pub(crate) fn new<T, H>(value: T, hook: Option<H>, read: Reader<T>) -> Self
    where
        T: ToolOutput,
        H: Fn(&T) -> View + Clone + Send + Sync + 'static,
    {
        Self(Repr::Value(Arc::new(Hooked { value: Held(Some(value)), hook, read })))
    }

    /// The output with another value in it: of the old type where the value can be read as that, so that the tool's
    /// view applies to it, and else the JSON itself.
    pub(crate) fn replaced(&self, value: Value) -> Self {
        let typed = match &self.0 {
            // To be read it is copied, and that is a recursion.
            Repr::Value(typed) if !json::is_too_deep(&value) => {
                contain::call(|| typed.replaced(&value)).unwrap_or_default()
            }
            Repr::Value(_) | Repr::Error(_) => None,
        };
        match typed {
            Some(typed) => Self(Repr::Value(typed)),
            None => Self::new(value, None::<fn(&Value) -> View>, None),
        }
    }

    pub(crate) fn error(message: &str) -> Self {
        Self(Repr::Error(message.into()))
    }

    /// Whether the tool returned a value.
    pub fn has_value(&self) -> bool {
        matches!(self.0, Repr::Value(_))
    }

    /// The value, if it is a `T`.
    pub fn downcast_ref<T: 'static>(&self) -> Option<&T> {
        match &self.0 {
            Repr::Value(typed) => typed.any().downcast_ref(),
            Repr::Error(_) => None,
        }
    }

    /// The value as JSON; `null` where it can't be serialised ([`try_json`](Self::try_json) says why).
    pub fn json(&self) -> Cow<'_, Value> {
        match self.downcast_ref::<Value>() {
            Some(value) => Cow::Borrowed(value),
            None => Cow::Owned(self.try_json().unwrap_or(Value::Null)),
        }
    }

    /// The value as JSON, or why there is none.
    pub fn try_json(&self) -> Result<Value, UnserialisableError> {
        let text = self.try_json_text()?;
        let mut reader = serde_json::Deserializer::from_str(&text);
        // The writer stopped at `json::MAX_DEPTH`, so the reader can't run away.
        reader.disable_recursion_limit();
        serde::Deserialize::deserialize(&mut reader).map_err(|error| UnserialisableError(error.to_string()))
    }

    fn try_json_text(&self) -> Result<String, UnserialisableError> {
        let mut text = String::new();
        let mut push = |piece: &str| {
            text.push_str(piece);
            ControlFlow::Continue(())
        };
        let mut walk = Walk { push: &mut push, edit: None, non_finite: 0 };
        match contain::call(|| self.write_json(&mut walk)) {
            Ok(Ok(())) => Ok(text),
            Ok(Err(fault)) => Err(UnserialisableError(fault.to_string())),
            Err(Panicked(message)) => Err(UnserialisableError(message)),
        }
    }

    /// The full result as text: strings as they are, `()` as nothing, anything else as compact JSON; the
    /// message of a failed call. Empty where the value can't be serialised ([`try_json`](Self::try_json) says why).
    pub fn text(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Error(message) => Cow::Borrowed(message),
            Repr::Value(typed) => match text_of(typed.any()) {
                Some(text) => Cow::Borrowed(text),
                None if self.as_stream().is_some() => self.as_stream().map(Streamed::text).unwrap_or_default(),
                None => Cow::Owned(self.try_json_text().unwrap_or_default()),
            },
        }
    }

    /// The text of a value that is text already, or nothing.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.0 {
            Repr::Error(message) => Some(message),
            Repr::Value(typed) => text_of(typed.any()),
        }
    }

    /// Writes the value as JSON.
    pub(crate) fn write_json(&self, walk: &mut Walk<'_>) -> Result<(), Fault> {
        match &self.0 {
            Repr::Value(typed) => typed.write(walk),
            Repr::Error(_) => json::write(&(), walk),
        }
    }

    /// Runs the tool's view hook; `None` where it has none. May panic: the hook is the user's.
    pub(crate) fn view(&self) -> Option<View> {
        match &self.0 {
            Repr::Value(typed) => typed.view(),
            Repr::Error(_) => None,
        }
    }

    /// A value that was streamed.
    pub(crate) fn as_stream(&self) -> Option<&Streamed> {
        self.downcast_ref()
    }

    /// The content parts, for a value that is `Part` or `Vec<Part>`.
    pub(crate) fn as_parts(&self) -> Option<&[Part]> {
        self.downcast_ref::<Vec<Part>>()
            .map(Vec::as_slice)
            .or_else(|| self.downcast_ref::<Part>().map(std::slice::from_ref))
    }

    /// The piece of a saved result, where the value is one.
    pub(crate) fn as_excerpt(&self) -> Option<&Excerpt> {
        self.downcast_ref()
    }

    /// Whether the value's type can carry text at all; numbers, `bool` and `()` can't.
    pub(crate) fn carries_text(&self) -> bool {
        let Repr::Value(typed) = &self.0 else { return true };
        let any = typed.any();
        !(any.is::<()>()
            || any.is::<bool>()
            || any.is::<i8>()
            || any.is::<i16>()
            || any.is::<i32>()
            || any.is::<i64>()
            || any.is::<i128>()
            || any.is::<isize>()
            || any.is::<u8>()
            || any.is::<u16>()
            || any.is::<u32>()
            || any.is::<u64>()
            || any.is::<u128>()
            || any.is::<usize>()
            || any.is::<f32>()
            || any.is::<f64>())
    }

    /// Gives up a value whose drop could overflow the stack.
    pub(crate) fn leak(self) {
        mem::forget(self);
    }
}

/// The types whose text is shown as it is.
fn text_of(any: &dyn Any) -> Option<&str> {
    if let Some(text) = any.downcast_ref::<String>() {
        Some(text)
    } else if let Some(text) = any.downcast_ref::<&'static str>() {
        Some(text)
    } else if let Some(text) = any.downcast_ref::<Cow<'static, str>>() {
        Some(text)
    } else if let Some(text) = any.downcast_ref::<Box<str>>() {
        Some(text)
    } else if let Some(text) = any.downcast_ref::<Arc<str>>() {
        Some(text)
    } else if let Some(excerpt) = any.downcast_ref::<Excerpt>() {
        Some(&excerpt.text)
    } else if any.is::<()>() {
        Some("")
    } else {
        None
    }
}

/// A value's `Serialize` failed or panicked, or the value is nested deeper than 512 levels.
#[derive(Debug)]
pub struct UnserialisableError(String);

impl fmt::Display for UnserialisableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the result can't be turned into JSON: {}", self.0)
    }
}

impl std::error::Error for UnserialisableError {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooDeep => write!(f, "nested deeper than {} levels", json::MAX_DEPTH),
            Self::Stopped => f.write_str("stopped"),
            Self::Failed(message) => f.write_str(message),
        }
    }
}
