//! What a function gets beside its arguments: the value it is a method of, shared state, and the call's context.

use std::{
    any::{Any, TypeId, type_name},
    sync::Arc,
};

use crate::{callable, context::CallContext};

/// The value of a block with its type erased; `()` where the function has no receiver.
pub(super) type This = Arc<dyn Any + Send + Sync>;

/// What is lent to one call.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    this: &'a (dyn Any + Send + Sync),
    ctx: &'a CallContext,
}

impl<'a> Given<'a> {
    pub(super) fn new(this: &'a This, ctx: &'a CallContext) -> Self {
        Self { this: &**this, ctx }
    }

    /// The value that the method is called on.
    pub fn this<T: 'static>(self) -> Option<&'a T> {
        self.this.downcast_ref()
    }

    /// The value of an `#[inject]` parameter of type `&T`.
    pub fn state<T: 'static>(self) -> Option<&'a T> {
        self.ctx.inject()
    }
}

/// What a type must be to be shared by all calls: as an `#[inject]` parameter, or as the value of a block of methods.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be shared by the calls of a tool, they run on many threads",
    label = "it has to be `Send + Sync + 'static`; put what isn't behind a `Mutex`, and bound what is generic"
)]
pub trait ToolState: Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> ToolState for T {}

/// One `#[inject]` parameter.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    parameter: &'static str,
    /// A function: `TypeId::of` is not `const` yet in the oldest compiler that we take.
    kind: fn() -> TypeId,
    type_name: fn() -> &'static str,
    is_optional: bool,
}

impl Need {
    /// A parameter of type `&T`.
    pub const fn of<T: ToolState>(parameter: &'static str) -> Self {
        Self { parameter, kind: TypeId::of::<T>, type_name: type_name::<T>, is_optional: false }
    }

    /// The parameter is an `Option<&T>`.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.is_optional = true;
        self
    }

    /// What the registry has to hold; every call brings its context.
    pub(super) fn of_registry(&self) -> Option<callable::Need> {
        let kind = (self.kind)();
        let is_needed = !self.is_optional && kind != TypeId::of::<CallContext>();
        is_needed.then(|| callable::Need { parameter: self.parameter, kind, type_name: (self.type_name)() })
    }
}
