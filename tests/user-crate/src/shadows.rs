//! Names that generated code might take for those of the prelude.

macro_rules! shadow {
    ($($name:ident)*) => {
        $(
            /// Not the one of the prelude.
            #[derive(::std::clone::Clone, ::std::marker::Copy, ::std::fmt::Debug)]
            pub(crate) struct $name;
        )*
    };
}

shadow! {
    Option Result String Vec Box Some None Ok Err Default Into From Send Sync Clone Copy Debug ToString Iterator
    Param Probe Slots Fields Shape Started MacroTool Borrowed ToolResult RegisteredTool Linked Value Mode Place
}

macro_rules! vec {
    () => {};
}
macro_rules! concat {
    () => {};
}
macro_rules! stringify {
    () => {};
}
macro_rules! module_path {
    () => {};
}
macro_rules! line {
    () => {};
}
macro_rules! json {
    () => {};
}
#[allow(unused_imports)]
pub(crate) use {concat, json, line, module_path, stringify, vec};

/// Modules of the names of crates.
pub(crate) mod core {}
/// As above.
pub(crate) mod std {}
/// As above.
pub(crate) mod serde {}

/// Methods of names that generated code calls, on everything.
#[allow(clippy::wrong_self_convention)]
pub(crate) trait Greedy: Sized {
    /// Takes.
    fn take(self) {}
    /// Is never.
    fn is_ready(self) {}
    /// Registers.
    fn register(self) {}
    /// Describes.
    fn description(self) {}
    /// Edits.
    fn edit(self) {}
    /// Asks.
    fn shape(&self) {}
    /// Writes.
    fn json(&self) {}
    /// Adds.
    fn minimum(self) {}
}

impl<T> Greedy for T {}
