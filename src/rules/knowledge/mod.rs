//! `YV9xx`: manifests, skills, maps and the index of knowledge.

mod dangling_edge;
mod excluded_result;
mod interface_changed;
mod invalid_manifest;
mod invalid_tool_parameters;
mod overstated_usage;
mod permission_exceeded;
mod risk_below_declared;
mod skill_limit_exceeded;
mod skill_not_enabled;
mod stale_index;
mod stale_repo_map;
mod trial_mode_broken;
mod unknown_server;
mod unknown_tool;
mod unlisted_resource;
mod unpinned_server;
mod unsupported_promotion;

use super::Rule;

/// The rules of the family, in the order of their codes.
pub(super) const RULES: &[&Rule] = &[
    &invalid_manifest::RULE,
    &dangling_edge::RULE,
    &unsupported_promotion::RULE,
    &stale_repo_map::RULE,
    &stale_index::RULE,
    &interface_changed::RULE,
    &skill_not_enabled::RULE,
    &permission_exceeded::RULE,
    &trial_mode_broken::RULE,
    &skill_limit_exceeded::RULE,
    &unpinned_server::RULE,
    &unknown_tool::RULE,
    &invalid_tool_parameters::RULE,
    &risk_below_declared::RULE,
    &unknown_server::RULE,
    &excluded_result::RULE,
    &unlisted_resource::RULE,
    &overstated_usage::RULE,
];
