//! The default of a parameter in its schema.

use serde::Serialize;
use serde_json::Value;

/// Asks whether the default of a parameter can be shown: `(&&DefaultProbe::new(&value)).__tool_json()` finds
/// [`BySerialize`] first, where its bound holds.
#[derive(Debug)]
pub struct DefaultProbe<'a, T>(&'a T);

impl<'a, T> DefaultProbe<'a, T> {
    /// Looks at `value`.
    pub fn new(value: &'a T) -> Self {
        Self(value)
    }
}

/// The default of a type that can be serialised.
pub trait BySerialize {
    /// The value as JSON.
    fn __tool_json(&self) -> Option<Value>;
}

impl<T: Serialize> BySerialize for &DefaultProbe<'_, T> {
    fn __tool_json(&self) -> Option<Value> {
        serde_json::to_value(self.0).ok()
    }
}

/// The default of any other type.
pub trait ByNothing {
    /// Nothing.
    fn __tool_json(&self) -> Option<Value>;
}

impl<T> ByNothing for DefaultProbe<'_, T> {
    fn __tool_json(&self) -> Option<Value> {
        None
    }
}
