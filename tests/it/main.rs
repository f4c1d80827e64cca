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
mod archives;
mod audits;
mod catalogue;
mod cli;
mod command;
mod completions;
mod configuration;
mod corpora;
// Subcommands of features that aren't built have no manual pages.
#[cfg(all(feature = "knowledge", feature = "repomap", feature = "policy-fuzz"))]
mod coverage;
mod detectors;
mod diffs;
mod docs;
mod documents;
#[cfg(unix)]
mod examples;
mod gate;
mod gate_attestation;
mod gate_base;
mod gate_inputs;
mod gate_policy;
mod gates;
mod generate;
mod injections;
#[cfg(feature = "knowledge")]
mod knowledge;
#[cfg(feature = "knowledge")]
mod knowledge_bank;
#[cfg(feature = "knowledge")]
mod knowledge_budget;
#[cfg(feature = "knowledge")]
mod knowledge_graph;
#[cfg(feature = "knowledge")]
mod knowledge_hostile;
#[cfg(feature = "knowledge")]
mod knowledge_integrity;
#[cfg(feature = "knowledge")]
mod knowledge_layers;
#[cfg(feature = "model2vec")]
mod knowledge_model;
#[cfg(feature = "knowledge")]
mod knowledge_refusals;
#[cfg(all(feature = "knowledge", feature = "repomap"))]
mod knowledge_repositories;
#[cfg(feature = "knowledge")]
mod knowledge_sources;
mod lanes;
mod languages;
mod large_reports;
mod legal;
mod manifests;
mod markdown_pages;
mod oracle;
#[cfg(target_os = "linux")]
mod outputs;
mod packaging;
mod pages;
#[cfg(feature = "parquet")]
mod parquet_files;
mod picture;
mod policy;
mod policy_accept;
mod policy_check;
mod policy_compare;
mod policy_export;
mod policy_limits;
mod policy_replay;
mod policy_settings;
mod properties;
mod prose;
mod reading;
mod redact;
#[cfg(feature = "repomap")]
mod repomap;
#[cfg(feature = "repomap")]
mod repomap_marks;
#[cfg(feature = "repomap")]
mod repomap_repositories;
#[cfg(feature = "repomap")]
mod repomap_samples;
mod reports;
mod secrets;
mod session_files;
mod sessions;
mod shares;
#[cfg(feature = "knowledge")]
mod skill_checks;
#[cfg(feature = "knowledge")]
mod skill_libraries;
#[cfg(feature = "knowledge")]
mod skills;
mod support;
mod timelines;
mod tool_calls;
mod trajectories;
mod trajectories_policy;
mod units;
mod writing;
