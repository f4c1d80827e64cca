//! Offline verification of governed AI-agent executions, from the record alone.
//!
//! Bytes come in, typed records come out of them, a pure state machine replays them, pure rules
//! look at each step and emit findings, and reporters print the findings. Nothing in that line ever
//! runs a model, a tool or a command from the trace. ARCHITECTURE.md is the map.

pub mod attest;
pub mod cli;
pub mod config;
pub mod corpus;
pub mod detectors;
pub mod diag;
pub mod features;
#[cfg(feature = "knowledge")]
pub mod knowledge;
pub mod manifest;
pub mod redact;
pub mod replay;
pub mod report;
pub mod rules;
pub mod schema;
pub mod source;
pub mod trace;
pub mod trajectory;
pub mod verify;
