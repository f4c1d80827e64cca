//! One binary for all integration tests.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::case_sensitive_file_extension_comparisons,
    clippy::large_stack_arrays,
    clippy::needless_pass_by_value,
    clippy::unreadable_literal,
    reason = "a test asserts by panicking, and clippy's exceptions for tests don't reach their helpers"
)]

mod account;
mod action;
mod agreement;
mod architecture;
mod catalogue;
mod cli;
mod command;
mod corpora;
mod detectors;
mod diffs;
mod gate;
mod gate_inputs;
mod gates;
mod generate;
mod injections;
mod knowledge;
mod knowledge_budget;
mod knowledge_hostile;
mod knowledge_integrity;
mod knowledge_layers;
mod knowledge_model;
mod lanes;
mod legal;
mod manifests;
mod oracle;
mod pages;
mod policy;
mod properties;
mod reading;
mod redact;
mod repomap;
mod repomap_marks;
mod repomap_samples;
mod reports;
mod secrets;
mod skill_checks;
mod skills;
mod support;
mod timelines;
mod trajectories;
mod units;
mod writing;
