//! Where full results lie: on the local disk, or in memory.
//!
//! The trait is in `artifact`; here are the two stores that come with the crate, and the rules for
//! artifact ids that both follow.

mod digest;
mod local;
mod memory;
mod name;

pub use local::LocalStore;
pub use memory::MemoryStore;
