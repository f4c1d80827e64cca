//! `YV2xx`: whether each state was reached legally.

mod contract_violation;
mod duplicate_identity;
mod event_after_terminal;
mod evidence_not_recorded;
mod illegal_transition;
mod max_turns_exceeded;
mod no_start;
mod outcome_mismatch;
mod terminal_shortcut;
mod time_reversal;
mod turn_out_of_order;
mod unterminated_execution;

use super::Rule;

/// The rules of the family, in the order of their codes.
pub(super) const RULES: &[&Rule] = &[
    &illegal_transition::RULE,
    &no_start::RULE,
    &unterminated_execution::RULE,
    &event_after_terminal::RULE,
    &terminal_shortcut::RULE,
    &turn_out_of_order::RULE,
    &max_turns_exceeded::RULE,
    &time_reversal::RULE,
    &duplicate_identity::RULE,
    &contract_violation::RULE,
    &outcome_mismatch::RULE,
    &evidence_not_recorded::RULE,
];
