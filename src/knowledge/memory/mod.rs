//! The memory policy of a context bank: formulas decide, and changes are shown first, made on
//! request and can be undone.
//!
//! [`plan()`] decides without changing anything. [`Journal`] carries out a plan. After a crash at
//! any moment, either nothing has changed or the run can be completed.

mod error;
mod journal;
mod plan;
mod saved;

pub use error::JournalError;
pub use journal::{FinishedRun, Journal, UnfinishedRun};
pub use plan::{Decision, FileChange, Plan, plan};

pub(super) use plan::CANDIDATES;
