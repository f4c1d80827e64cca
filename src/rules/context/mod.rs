//! `YV6xx`: what the agent was shown.

mod budget_exceeded;
mod context_diff_mismatch;
mod input_hash_mismatch;
mod replay_condition_missing;
mod section_out_of_order;
mod silent_truncation;
mod undeclared_context;
mod unknown_reference;

use super::Rule;

/// The rules of the family, in the order of their codes.
pub(super) const RULES: &[&Rule] = &[
    &unknown_reference::RULE,
    &undeclared_context::RULE,
    &context_diff_mismatch::RULE,
    &silent_truncation::RULE,
    &budget_exceeded::RULE,
    &replay_condition_missing::RULE,
    &input_hash_mismatch::RULE,
    &section_out_of_order::RULE,
];
