//! Offline verification of governed AI-agent executions, from their traces alone.
//!
//! Bytes become typed records, a pure state machine replays them, pure rules check each step and
//! emit findings, and reporters print the findings. No part of it ever runs a model, a tool or a
//! command from a trace. ARCHITECTURE.md describes the structure.

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
