//! What becomes of the items of a context bank: decided by formula, shown first, done on demand,
//! and taken back on demand.
//!
//! [`plan()`] decides and changes nothing. [`Journal`] carries a plan out so that a crash at any
//! moment leaves either nothing of it, or something that can be brought to its end.

mod error;
mod journal;
mod plan;

pub use error::JournalError;
pub use journal::{FinishedRun, Journal, UnfinishedRun};
pub use plan::{Decision, FileChange, Plan, plan};

pub(super) use plan::CANDIDATES;
