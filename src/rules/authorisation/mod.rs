//! `YV3xx`: who allowed what was executed.

mod ambiguous_result;
mod approval_expired;
mod audit_log_mismatch;
mod broken_lineage;
mod call_without_record;
mod confusable_identity;
mod decision_after_execution;
mod decision_for_other_action;
mod effect_beyond_risk;
mod executed_after_rejection;
mod executed_other_than_approved;
mod governor_changed;
mod high_risk_without_human;
mod implausible_approval;
mod incomplete_decision;
mod interrupted_call;
mod modification_beyond_parameters;
mod modification_raises_risk;
mod proposal_not_thought;
mod repeated_after_rejection;
mod result_without_execution;
mod reused_decision;
mod risk_understated;
mod self_governance;
mod sidecar_contradiction;
mod silent_retry;
mod success_contradicted;
mod unauthorised_execution;
mod unknown_agent;
mod unmatched_call;
mod unsigned_decision;

use super::Rule;

/// The rules of the family, in the order of their codes.
pub(super) const RULES: &[&Rule] = &[
    &unauthorised_execution::RULE,
    &high_risk_without_human::RULE,
    &incomplete_decision::RULE,
    &decision_for_other_action::RULE,
    &executed_other_than_approved::RULE,
    &modification_beyond_parameters::RULE,
    &modification_raises_risk::RULE,
    &broken_lineage::RULE,
    &executed_after_rejection::RULE,
    &risk_understated::RULE,
    &result_without_execution::RULE,
    &self_governance::RULE,
    &silent_retry::RULE,
    &proposal_not_thought::RULE,
    &implausible_approval::RULE,
    &success_contradicted::RULE,
    &decision_after_execution::RULE,
    &confusable_identity::RULE,
    &unknown_agent::RULE,
    &governor_changed::RULE,
    &unsigned_decision::RULE,
    &reused_decision::RULE,
    &effect_beyond_risk::RULE,
    &repeated_after_rejection::RULE,
    &unmatched_call::RULE,
    &interrupted_call::RULE,
    &call_without_record::RULE,
    &sidecar_contradiction::RULE,
    &ambiguous_result::RULE,
    &approval_expired::RULE,
    &audit_log_mismatch::RULE,
];

/// Formats the name of a session's call.
fn named(id: Option<&str>) -> String {
    id.map_or_else(|| "the call".to_owned(), |id| format!("the call `{id}`"))
}
