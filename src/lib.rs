//! Offline verification of governed AI-agent executions, from the record alone.
//!
//! Bytes come in, typed records come out of them, a pure state machine replays them, pure rules
//! look at each step and emit findings, and reporters print the findings. Nothing in that line ever
//! runs a model, a tool or a command from the trace. ARCHITECTURE.md is the map.

pub mod attest;
mod bits;
pub mod cli;
pub mod command;
pub mod config;
pub mod detectors;
pub mod diag;
mod escape;
pub mod governance;
pub mod json;
pub mod knowledge;
pub mod manifest;
pub mod policy;
mod quoting;
pub mod random;
pub mod redact;
pub mod replay;
pub mod repomap;
pub mod report;
pub mod rules;
pub mod scan;
pub mod schema;
pub mod source;
mod syntax;
pub mod time;
pub mod tokens;
pub mod trace;
pub mod trajectory;
mod unseen;
pub mod verify;
pub mod workspace;
