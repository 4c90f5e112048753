//! Where full results lie: on the local disk, in memory, or in a bucket.
//!
//! The trait is in `artifact`; here are the stores that come with the crate, and the rules for artifact
//! ids that all of them follow.

mod digest;
mod local;
mod memory;
mod name;
#[cfg(feature = "object-store")]
mod object;

pub use local::LocalStore;
pub use memory::MemoryStore;
#[cfg(feature = "object-store")]
pub use object::ObjectStore;
