//! What a running tool may know about its call.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    fmt,
    sync::{Arc, OnceLock},
};

use crate::{
    cancel::CancellationToken,
    stream::{Plan, Plans},
};

/// How far a tool has come; the fields are those of MCP's progress notifications.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// What is done; grows with every report.
    pub done: f64,
    /// What there is to do, where that is known.
    pub total: Option<f64>,
    /// A line for people.
    pub message: Option<String>,
}

impl Progress {
    /// `done` of an unknown total.
    #[must_use]
    pub fn new(done: f64) -> Self {
        Self { done, total: None, message: None }
    }

    /// Says what there is to do.
    #[must_use]
    pub fn of(self, total: f64) -> Self {
        Self { total: Some(total), ..self }
    }

    /// Says something for people.
    #[must_use]
    pub fn message(self, message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..self }
    }
}

pub(crate) type Listener = Arc<dyn Fn(Progress) + Send + Sync>;

/// Values by their type.
#[derive(Clone, Default)]
pub(crate) struct TypeMap(HashMap<TypeId, (Arc<dyn Any + Send + Sync>, &'static str)>);

impl TypeMap {
    /// Puts a value in; `false` where one of its type was there, which stays.
    pub(crate) fn insert<T: Send + Sync + 'static>(&mut self, value: T) -> bool {
        let entry = (Arc::new(value) as Arc<dyn Any + Send + Sync>, std::any::type_name::<T>());
        match self.0.entry(TypeId::of::<T>()) {
            std::collections::hash_map::Entry::Occupied(_) => false,
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(entry);
                true
            }
        }
    }

    /// Puts a value in, in place of another of its type.
    pub(crate) fn replace<T: Send + Sync + 'static>(&mut self, value: T) {
        self.0.insert(TypeId::of::<T>(), (Arc::new(value), std::any::type_name::<T>()));
    }

    pub(crate) fn get<T: 'static>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>()).and_then(|(value, _)| value.downcast_ref())
    }

    pub(crate) fn has(&self, kind: TypeId) -> bool {
        self.0.contains_key(&kind)
    }

    /// Whether there is a value whose type Rust prints like this.
    pub(crate) fn has_named(&self, type_name: &str) -> bool {
        self.0.values().any(|(_, name)| *name == type_name)
    }
}

impl fmt::Debug for TypeMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.values().map(|(_, name)| name)).finish()
    }
}

/// Belongs to one call. A function takes it as `#[inject] ctx: &CallContext`; hand-written tools get it in
/// [`Tool::run`](crate::Tool::run). Clones are of the same call.
#[derive(Clone)]
pub struct CallContext(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    call_id: Arc<str>,
    tool_name: Arc<str>,
    session: Option<Arc<str>>,
    state: Arc<TypeMap>,
    extensions: Option<Arc<TypeMap>>,
    progress: Option<Listener>,
    plans: Option<Arc<dyn Plans>>,
    /// Made when somebody asks; most calls need none.
    cancellation: OnceLock<CancellationToken>,
    attempt: u32,
}

/// What a context is made of.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) call_id: Arc<str>,
    pub(crate) tool_name: Arc<str>,
    pub(crate) session: Option<Arc<str>>,
    pub(crate) state: Arc<TypeMap>,
    pub(crate) extensions: Option<Arc<TypeMap>>,
    pub(crate) progress: Option<Listener>,
    pub(crate) plans: Option<Arc<dyn Plans>>,
    pub(crate) cancellation: Option<CancellationToken>,
}

impl From<Parts> for CallContext {
    fn from(parts: Parts) -> Self {
        let Parts { call_id, tool_name, session, state, extensions, progress, plans, cancellation } = parts;
        // A child: what is cancelled for this call alone, when it timed out, must not stop the caller's other calls.
        let cancellation = cancellation.map_or_else(OnceLock::new, |token| OnceLock::from(token.child()));
        Self(Arc::new(Inner {
            call_id,
            tool_name,
            session,
            state,
            extensions,
            progress,
            plans,
            cancellation,
            attempt: 1,
        }))
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallContext")
            .field("call_id", &self.call_id())
            .field("tool_name", &self.tool_name())
            .field("session", &self.session())
            .finish_non_exhaustive()
    }
}

impl CallContext {
    /// The provider's id of the call, unchanged.
    pub fn call_id(&self) -> &str {
        &self.0.call_id
    }

    /// The tool's name as registered.
    pub fn tool_name(&self) -> &str {
        &self.0.tool_name
    }

    /// The session, if the call belongs to one.
    pub fn session(&self) -> Option<&str> {
        self.0.session.as_deref()
    }

    /// Which attempt this is: 1, and more where the tool has [`retries`](crate::ToolSpec::retries) and earlier ones
    /// failed with an error that it called [transient](crate::ToolError::transient).
    pub fn attempt(&self) -> u32 {
        self.0.attempt
    }

    /// The same call once more. A token that the tool has asked for stays the call's.
    pub(crate) fn for_attempt(&self, attempt: u32) -> Self {
        Self(Arc::new(Inner { attempt, ..Inner::clone(&self.0) }))
    }

    /// Cancelled when the caller cancels ([`ToolCall::cancel`](crate::ToolCall::cancel)), or when the call has timed
    /// out and a `blocking` tool is left behind. An asynchronous tool is dropped in both cases and need not look.
    pub fn cancellation(&self) -> &CancellationToken {
        self.0.cancellation.get_or_init(CancellationToken::new)
    }

    /// The token, if the caller gave one or the tool has asked for it.
    pub(crate) fn known_cancellation(&self) -> Option<&CancellationToken> {
        self.0.cancellation.get()
    }

    /// What the caller gave to this call with [`ToolCall::extension`](crate::ToolCall::extension).
    pub fn extension<T: 'static>(&self) -> Option<&T> {
        self.0.extensions.as_ref().and_then(|extensions| extensions.get())
    }

    /// What the registry holds of this type ([`RegistryBuilder::state`](crate::RegistryBuilder::state)); the same as
    /// an `#[inject]` parameter, for hand-written tools.
    pub fn state<T: 'static>(&self) -> Option<&T> {
        self.0.state.get()
    }

    /// Tells the caller how far the tool has come; nothing happens where nobody listens
    /// ([`ToolCall::progress`](crate::ToolCall::progress)).
    pub fn progress(&self, progress: Progress) {
        if let Some(listener) = &self.0.progress {
            listener(progress);
        }
    }

    /// What a stream of this call goes through.
    pub(crate) fn plan(&self) -> Plan {
        self.0.plans.as_ref().map_or_else(Plan::default, |plans| plans.plan(self))
    }

    /// What an `#[inject]` parameter of type `&T` gets: this context itself, or shared state.
    pub(crate) fn inject<T: 'static>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref().or_else(|| self.state())
    }
}
