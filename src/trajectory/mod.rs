//! What happened: the trajectory of each execution, as its record tells it, and what follows from
//! that.
//!
//! One model under all that speaks of whole executions: [`explain`] tells one, [`compare`] holds
//! two against each other, [`reevaluate`] asks a policy again, [`stats`] counts many, [`export`]
//! hands them to other tools. Nothing here judges: verdicts and findings come from the replay and
//! stand in their place.

mod align;
pub mod audit;
pub mod compare;
mod context;
pub mod explain;
pub mod export;
pub mod graph;
mod model;
mod pair;
pub mod recorded_decisions;
pub mod reevaluate;
pub mod stats;
pub mod versions;
pub mod words;

pub use context::{Quality, References};
pub use model::{ExecutionSet, FindingNote, Known, Trajectory};
