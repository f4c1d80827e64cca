//! The trajectory of each execution, as its trace records it, and what is derived from it.
//!
//! All modules share one model of whole executions: [`explain`] presents one, [`compare`] compares
//! two, [`reevaluate`] evaluates a policy on recorded decisions, [`stats`] aggregates many, and
//! [`export`] converts them for other tools. Verdicts and findings come from the replay; these
//! modules make none.

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
