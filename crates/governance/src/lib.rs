//! The rules of the game, pure: states, events, the reducers, actions, risk, capabilities.
//!
//! Nothing here reads a file or knows of a trace. A replay asks these functions what was legal;
//! `fsm prove` asks the same functions what is possible at all.

pub mod action;
pub mod capability;
pub mod event;
pub mod lifecycle;
pub mod model;
pub mod properties;
pub mod prove;
pub mod reducer;
pub mod risk;
pub mod show;
pub mod state;

pub use action::{ActionType, DecidedBy};
pub use capability::{Ledger, LedgerError};
pub use event::{EvaluationKind, Event, Ruling};
pub use reducer::{FsmVersion, Illegal, reduce};
pub use risk::RiskLevel;
pub use state::{State, StateSet};
