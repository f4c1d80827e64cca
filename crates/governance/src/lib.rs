#![doc = include_str!("../README.md")]

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
